import { Bell, Pencil, Plus, Trash } from "lucide";
import { type ReactNode, useId } from "react";
import { markOptimistic } from "~/lib/data/pending";
import { ErrorDetails } from "./errors/default-view";
import { Avatar } from "./avatar";
import { Breadcrumb } from "./navigation/breadcrumb";
import { Button, type ButtonVariant, ButtonLink, type ButtonSize } from "./inputs/button";
import { Card } from "./card";
import { Day } from "./time/day";
import { Dialog, DialogActions, DialogButton, DialogCancel } from "./overlays/dialog";
import { EmptyState } from "./empty-state";
import { Field } from "./inputs/field";
import { FlashBanner } from "./overlays/flash-banner";
import { GoBack } from "./navigation/go-back";
import { Icon } from "./icons/icon";
import { CardGrid, ItemCard } from "./item-card";
import { Menu, MenuButton, MenuLink, MenuSeparator } from "./overlays/menu";
import { Meter } from "./meter";
import { MorePages } from "./navigation/more-pages";
import { PageHeader } from "./page";
import { RelativeTime } from "./time/relative-time";
import { CenteredScreen } from "./centered-screen";
import { TextInput } from "./inputs/text-input";
import { toast } from "./overlays/toasts";

const VARIANTS: ButtonVariant[] = ["primary", "quiet", "ghost", "danger"];
const SIZES: ButtonSize[] = ["md", "sm"];
const LONG = "A name that is much too long for its card and is therefore cut off at the end of the line";
const WAITING = {};
markOptimistic([], [WAITING]);
const THEN = Date.UTC(2026, 0, 5, 9, 30);

const SURFACES = ["background", "panel", "card", "raised", "hover", "mat"];
const INKS = ["text-ink", "text-soft", "text-faint", "text-accent-text", "text-danger-text"];
const SIZES_OF_TEXT = ["text-2xl", "text-xl", "text-lg", "text-base", "text-sm", "text-xs"];

export function ComponentExamples() {
  const id = useId();
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-10">
      <Specimen name="Surfaces and text colours">
        <div className="grid w-full grid-cols-3 gap-2 sm:grid-cols-6">
          {SURFACES.map((surface) => (
            <div key={surface} className="grid gap-1 rounded-md border p-3 text-xs" style={{ background: `var(--${surface})` }}>
              {surface}
            </div>
          ))}
        </div>
        {INKS.map((ink) => (
          <span key={ink} className={ink}>
            {ink.replace("text-", "")}
          </span>
        ))}
      </Specimen>

      <Specimen name="Text sizes">
        <div className="grid gap-2">
          {SIZES_OF_TEXT.map((size) => (
            <p key={size} className={`${size} ${/xl/.test(size) ? "font-semibold tracking-tight" : ""}`}>
              {size.replace("text-", "")} · Sample text
            </p>
          ))}
          <p className="font-mono text-sm">mono · 7f3a-91c2</p>
        </div>
      </Specimen>

      <Specimen name="Buttons">
        {VARIANTS.map((variant) => (
          <div key={variant} className="flex w-full flex-wrap items-center gap-2">
            {SIZES.map((size) => (
              <Button key={size} variant={variant} size={size}>
                <Icon of={Plus} />
                {variant}
              </Button>
            ))}
            <Button variant={variant} size="icon" aria-label={`${variant}, with an icon`} data-tooltip="A tooltip">
              <Icon of={Pencil} />
            </Button>
            <Button variant={variant} size="icon-sm" aria-label={`${variant}, with a small icon`}>
              <Icon of={Pencil} />
            </Button>
            <Button variant={variant} disabled>
              Disabled
            </Button>
            <ButtonLink variant={variant} to="">
              A link
            </ButtonLink>
          </div>
        ))}
        <GoBack>Go back</GoBack>
      </Specimen>

      <Specimen name="Fields">
        <div className="grid w-full gap-5 sm:grid-cols-2">
          <Field htmlFor={`${id}-empty`} label="Empty" errorId={`${id}-empty-error`}>
            <TextInput id={`${id}-empty`} placeholder="Autumn catalogue" />
          </Field>
          <Field
            htmlFor={`${id}-hint`}
            label="With a hint"
            errorId={`${id}-hint-error`}
            hint="A hint for the field."
            hintId={`${id}-hint-id`}
          >
            <TextInput id={`${id}-hint`} aria-describedby={`${id}-hint-id`} defaultValue="Spring" />
          </Field>
          <Field htmlFor={`${id}-bad`} label="With an error" errorId={`${id}-bad-error`} errors={["Enter a name."]}>
            <TextInput id={`${id}-bad`} aria-invalid aria-describedby={`${id}-bad-error`} />
          </Field>
          <Field htmlFor={`${id}-off`} label="Disabled" errorId={`${id}-off-error`}>
            <TextInput id={`${id}-off`} disabled defaultValue="Unchanged" />
          </Field>
        </div>
      </Specimen>

      <Specimen name="Cards">
        <div className="w-full">
          <CardGrid label="Cards">
            <li>
              <ItemCard
                item={{}}
                to=""
                name="Northern light"
                cover={<Cover />}
                summary="8 images"
                actions={<CardAction name="Northern light" />}
              />
            </li>
            <li>
              <ItemCard item={{}} to="" name={LONG} cover={<Cover />} summary="1 image" />
            </li>
            <li>
              <ItemCard item={WAITING} to={null} name="Pending" cover={<Cover />} summary="No images" />
            </li>
          </CardGrid>
        </div>
        <Card className="p-4">A single card</Card>
      </Specimen>

      <Specimen name="Dialog, menu, toast">
        <DialogButton dialog={`${id}-dialog`}>Open a dialog</DialogButton>
        <Dialog id={`${id}-dialog`} title="Delete project?">
          <p className="text-soft">
            <strong className="font-medium text-ink">Northern light</strong> and all of its designs and images will be deleted.
          </p>
          <DialogActions>
            <DialogCancel dialog={`${id}-dialog`} />
            <Button variant="danger">Delete project</Button>
          </DialogActions>
        </Dialog>
        <Button popoverTarget={`${id}-menu`} aria-haspopup="true">
          Open a menu
        </Button>
        <Menu id={`${id}-menu`} label="Example">
          <MenuLink to="" icon={<Icon of={Bell} />}>
            A link
          </MenuLink>
          <MenuButton type="button" icon={<Icon of={Pencil} />}>
            A button
          </MenuButton>
          <MenuSeparator />
          <MenuButton type="button" danger icon={<Icon of={Trash} />}>
            Delete
          </MenuButton>
        </Menu>
        <Button onClick={() => void toast("Backup codes copied")}>Show a toast</Button>
        <FlashBanner flash={{ id: "example", text: "Project created" }} />
      </Specimen>

      <Specimen name="Meters">
        <div className="grid w-full gap-x-10 gap-y-5 sm:grid-cols-2">
          <Meter label="Empty" value={0} max={3} text="0 of 3" />
          <Meter label="Half" value={150} max={300} text="150 of 300" />
          <Meter label="Full" value={3} max={3} text="3 of 3" />
          <Meter label="Unlimited" value={1204} max={null} text="1,204" />
        </div>
      </Specimen>

      <Specimen name="Avatars and times">
        <Avatar name="Ada Lovelace" email="ada@example.com" image={null} />
        <Avatar name="" email="grace@example.com" image={null} />
        <Avatar name="Ada Lovelace" email="ada@example.com" image="/favicon.svg" />
        <span className="text-soft">
          <RelativeTime at={THEN} /> · <Day at={THEN} />
        </span>
      </Specimen>

      <Specimen name="Page header and more pages">
        <div className="grid w-full gap-6">
          <PageHeader
            trail={
              <Breadcrumb
                trail={[
                  { to: "/projects", name: "Projects" },
                  { to: "", name: LONG },
                ]}
              />
            }
            title="First light"
            summary="8 images"
          >
            <Button variant="primary">Add images</Button>
          </PageHeader>
          <MorePages itemNoun="images" page={{ isFirst: false, next: "next" }} />
        </div>
      </Specimen>

      <Specimen name="Empty state">
        <EmptyState
          className="w-full"
          title="No projects yet"
          text="A project contains designs, and each design contains images."
          action={<Button variant="primary">New project</Button>}
        />
      </Specimen>

      <Specimen name="Error screen">
        <div className="w-full rounded-lg border">
          <CenteredScreen frame="askew" title="Something went wrong" text="Something went wrong on our side. Your saved work is safe.">
            <Button variant="primary">Try Again</Button>
            <Button>Go Back</Button>
            <ErrorDetails error={new Error("503 Service Unavailable")} />
          </CenteredScreen>
        </div>
      </Specimen>
    </div>
  );
}

function Specimen({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-4 border-t pt-4">
      <h2 className="text-sm font-medium text-faint">{name}</h2>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-3">{children}</div>
    </section>
  );
}

function CardAction({ name }: { name: string }) {
  return (
    <Button variant="ghost" size="icon-sm" aria-label={`More for ${name}`}>
      <Icon of={Pencil} />
    </Button>
  );
}

const Cover = () => <div className="aspect-4/3 bg-mat bg-[radial-gradient(70%_85%_at_50%_0%,var(--lamp),transparent)]" />;
