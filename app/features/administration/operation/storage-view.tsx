import { Section } from "~/features/accounts/settings/section";
import { bytesText } from "~/lib/ui/bytes-text";
import { count } from "~/lib/ui/count";
import { RowList } from "~/lib/ui/row-list";
import { Day } from "~/lib/ui/time/day";
import type { AccountUsage, LargeProject } from "#convex/admin/storage";
import { Badge } from "../badge";
import { Fact, Facts } from "../facts";
import { PersonLink } from "../person-link";
import type { ServerStorage } from "./read-storage.server";
import { FactRow } from "../rows";

export function StorageSummary({ storage: { disk, fileBucket, cacheBytes, partialUploads } }: { storage: ServerStorage }) {
  return (
    <Section title="This server" about="Disk space of DATA_DIR, and what the app stores there besides the images.">
      <Facts>
        {disk === null ? null : (
          <Fact name="Free disk space">
            {bytesText(disk.freeBytes)} of {bytesText(disk.totalBytes)}
          </Fact>
        )}
        {disk === null || disk.databaseBytes === null ? null : <Fact name="Database">{bytesText(disk.databaseBytes)}</Fact>}
        <Fact name="Cache of resized images">{bytesText(cacheBytes)}</Fact>
        <Fact name="Unfinished uploads">{count(partialUploads, "file")}</Fact>
        {disk === null || disk.quarantine === null ? null : (
          <Fact name="Quarantine">
            {disk.quarantine.files === 0
              ? "Empty"
              : `${count(disk.quarantine.files, "file")} without a row, ${bytesText(disk.quarantine.bytes)}. Each is deleted after 30 days.`}
          </Fact>
        )}
        {fileBucket === null ? null : <FileBucketFacts fileBucket={fileBucket} />}
      </Facts>
    </Section>
  );
}

function FileBucketFacts({ fileBucket }: { fileBucket: NonNullable<ServerStorage["fileBucket"]> }) {
  const { location, movesBack, waitingFiles, cachedFiles, cachedBytes, cacheLimitBytes, problem } = fileBucket;
  return (
    <>
      <Fact name="Image bucket">{location}</Fact>
      {waitingFiles ? (
        <Fact name={movesBack ? "Files to move back" : "Files to move to the bucket"}>{count(waitingFiles, "file")}</Fact>
      ) : null}
      <Fact name="Copies of images in the bucket">
        {count(cachedFiles, "file")}, {bytesText(cachedBytes)} of {bytesText(cacheLimitBytes)}
      </Fact>
      {problem === null ? null : (
        <Fact name="Bucket problem">
          <span className="text-danger-text">{problem}</span>
        </Fact>
      )}
    </>
  );
}

export function StorageOfPeople({ rows, defaultQuota }: { rows: readonly AccountUsage[]; defaultQuota: number }) {
  return (
    <RowList label="Storage per person">
      {rows.map(({ _id, person, projects, designs, images, bytes, quotaBytes }) => (
        <FactRow key={_id}>
          <span className="grid min-w-0 gap-0.5">
            <PersonLink person={person} />
            <span className="text-sm text-faint">
              {count(projects, "project")}, {count(designs, "design")}, {count(images, "image")}
            </span>
          </span>
          <span className="tabular text-sm">
            {bytesText(bytes)} of {bytesText(quotaBytes ?? defaultQuota)}
          </span>
        </FactRow>
      ))}
    </RowList>
  );
}

export function LargestProjects({ projects }: { projects: readonly LargeProject[] }) {
  return (
    <RowList label="Largest projects" isOrdered>
      {projects.map(({ _id, owner, designs, images, bytes, createdAt, isTrashed }) => (
        <FactRow key={_id}>
          <span className="grid min-w-0 gap-0.5">
            <span className="flex flex-wrap items-center gap-x-2">
              <span className="text-faint">Project of</span> <PersonLink person={owner} />
              {isTrashed ? <Badge>In the trash</Badge> : null}
            </span>
            <span className="font-mono text-xs wrap-anywhere text-faint">{_id}</span>
          </span>
          <span className="tabular text-sm">
            {bytesText(bytes)} in {count(images, "image")}, {count(designs, "design")}, since <Day at={createdAt} />
          </span>
        </FactRow>
      ))}
    </RowList>
  );
}
