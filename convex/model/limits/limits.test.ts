import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Backend, backends, type Caller, type Person, probe, signUp } from "../../../tests/convex/backends.ts";
import { refused } from "../../../tests/convex/expect.ts";
import { api } from "../../_generated/api";
import { PLANS } from "./plans";

const { projects: MOST } = PLANS.free.limits;

describe.each(backends)("plans on $name", ({ start }) => {
  let backend: Backend;
  beforeAll(async () => {
    backend = await start();
  });
  afterAll(() => backend.close());

  const where = ({ userId, sessionId }: Person): Promise<Caller> =>
    backend.holder({ subject: userId, audience: "atelier-user", sessionId, limited: true });
  const subscribe = (user: Person, row: object) =>
    backend.inside.mutation(probe.insert, {
      table: "subscriptions",
      row: { id: randomUUID(), plan: "pro", referenceId: user.userId, status: "active", ...row },
    });
  const fill = async (user: Caller) => {
    for (let index = 0; index < MOST; index++) await user.mutation(api.projects.create, { name: `Project ${index}` });
  };

  it("apply only where the token enables them", async () => {
    const ada = await signUp(backend, "ada");
    const limited = await where(ada);
    await fill(limited);
    expect(await refused(limited.mutation(api.projects.create, { name: "One more" }))).toMatchObject({ code: "limit" });
    await expect(ada.mutation(api.projects.create, { name: "One more" })).resolves.toBeDefined();
    expect(await ada.query(api.usage.getUsage, {})).toMatchObject({ projects: MOST + 1 });
  });

  it("never prevent renames or deletion", async () => {
    const ada = await signUp(backend, "ada");
    await fill(ada);
    const id = await ada.mutation(api.projects.create, { name: "One more" });
    const limited = await where(ada);
    await limited.mutation(api.projects.rename, { id, name: "Renamed" });
    await limited.mutation(api.projects.remove, { id });
    expect(await refused(limited.mutation(api.projects.create, { name: "Another" }))).toMatchObject({ code: "limit" });
  });

  it("count uploads by the app server on a user's behalf", { tags: "@count-uploads-app-server-users-behalf" }, async () => {
    const ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Project" });
    const designId = await ada.mutation(api.designs.create, { projectId, name: "Design" });
    await backend.settle();
    const [row] = await backend.inside.query(probe.rows, { table: "usage", field: "ownerId", value: ada.userId });
    const properties = {
      contentType: "image/png",
      size: 3,
      width: 1,
      height: 1,
      checksum: "0".repeat(64),
      placeholder: null,
      animated: false,
    };
    const finalize = async (limited: boolean) => {
      const server = await backend.holder({
        subject: "app-server",
        audience: "atelier-service",
        service: true,
        ...(limited && { limited }),
      });
      const storageId = await backend.store(new Uint8Array(3));
      return server.mutation(api.uploads.finalize, {
        sessionId: ada.sessionId,
        designId,
        uploadId: randomUUID(),
        storageId,
        name: "a.png",
        ...properties,
      });
    };
    await backend.inside.mutation(probe.patch, {
      table: "usage",
      id: String(row?.["_id"]),
      fields: { bytes: PLANS.free.limits.bytes - 4 },
    });
    await expect(finalize(true)).resolves.toBeDefined();
    expect(await refused(finalize(true))).toMatchObject({ code: "limit", message: expect.stringContaining("includes 1 GB") });
    await expect(finalize(false)).resolves.toBeDefined();
  });

  it("count before the first byte is sent, including pending uploads", { tags: "@count-before-first-byte-sent-including" }, async () => {
    const ada = await signUp(backend, "ada");
    const projectId = await ada.mutation(api.projects.create, { name: "Project" });
    const designId = await ada.mutation(api.designs.create, { projectId, name: "Design" });
    await backend.settle();
    const server = await backend.holder({ subject: "app-server", audience: "atelier-service", service: true, limited: true });
    const expecting = (bytes: number, images: number) =>
      server.query(api.uploads.expectRoom, { sessionId: ada.sessionId, designId, bytes, images });
    const { bytes, images } = PLANS.free.limits;
    expect(await expecting(bytes, images)).toBeNull();
    expect(await refused(expecting(bytes + 1, 1))).toMatchObject({ code: "limit", message: expect.stringContaining("includes 1 GB") });
    expect(await refused(expecting(1, images + 1))).toMatchObject({ code: "limit", message: expect.stringContaining("images") });
  });

  it.each(["active", "trialing", "past_due"])("apply the limits of a subscription that is %s", async (status) => {
    const ada = await signUp(backend, "ada");
    await subscribe(ada, { status: "canceled" });
    await subscribe(ada, { status, billingInterval: "month", periodEnd: 5, cancelAtPeriodEnd: false });
    await subscribe(ada, { status: "incomplete" });
    const limited = await where(ada);
    await fill(limited);
    await expect(limited.mutation(api.projects.create, { name: "One more" })).resolves.toBeDefined();
    expect(await ada.query(api.billing.getBilling, {})).toEqual({
      plan: "pro",
      limits: PLANS.pro.limits,
      subscription: { status, interval: "month", until: 5, ends: false },
    });
  });

  it("are Free without a subscription and after its end", async () => {
    const ada = await signUp(backend, "ada");
    const bob = await signUp(backend, "bob");
    await subscribe(bob, { status: "unpaid" });
    for (const user of [ada, bob])
      expect(await user.query(api.billing.getBilling, {})).toEqual({ plan: "free", limits: PLANS.free.limits, subscription: null });
  });
});
