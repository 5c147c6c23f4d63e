import type { ReactNode } from "react";
import { href } from "react-router";
import { IntentForm, useIntentForm } from "~/lib/forms/intent-form";
import type { IntentName } from "~/lib/forms/intents";
import { Button, ButtonLink } from "~/lib/ui/inputs/button";
import { Field } from "~/lib/ui/inputs/field";
import { Select } from "~/lib/ui/inputs/select";
import { isolate } from "~/lib/ui/isolate";
import { Day } from "~/lib/ui/time/day";
import { AccountForm, useAccountForm } from "../settings/account-form";
import { OFFER_TRANSFER, type Transfer } from "./transfer-intents";

type OwnerProps = { projectId: string; transfer: Transfer | null; members: { userId: string; name: string; email?: string }[] };

export function OwnersTransfer({ projectId, transfer, members }: OwnerProps) {
  if (transfer?.state === "moving") return <Moving />;
  const isPending = transfer !== null && transfer.state !== "declined";
  return (
    <>
      {transfer ? <Offer projectId={projectId} transfer={transfer} isPending={isPending} /> : null}
      {isPending ? null : <OfferForm projectId={projectId} members={members} />}
    </>
  );
}

function Offer({
  projectId,
  transfer: { recipient, state, expiresAt },
  isPending,
}: {
  projectId: string;
  transfer: Transfer;
  isPending: boolean;
}) {
  const cancel = useIntentForm({ id: "cancel-transfer", intent: "cancelTransfer" satisfies IntentName });
  const name = <bdi>{recipient}</bdi>;
  return (
    <Panel>
      <p role="status">
        {state === "declined" ? (
          <>{name} declined the transfer.</>
        ) : state === "refused" ? (
          <>{name} does not have enough storage for this project. They can delete something, then accept again.</>
        ) : state === "measuring" ? (
          <>{name} accepted. The size of the project is being calculated.</>
        ) : (
          <>
            The project is offered to {name} until <Day at={expiresAt} />. You stay the owner until they accept.
          </>
        )}
      </p>
      {isPending ? (
        <IntentForm state={cancel} hidden={{ projectId }}>
          <Button type="submit">Cancel transfer</Button>
        </IntentForm>
      ) : null}
    </Panel>
  );
}

function OfferForm({ projectId, members }: Pick<OwnerProps, "projectId" | "members">) {
  const state = useAccountForm({ id: "offer-transfer", intent: OFFER_TRANSFER });
  const field = state.fields["userId"];
  if (members.length === 0)
    return (
      <Panel>
        <p>Only members can become the owner. Invite the person first.</p>
        <ButtonLink to={href("/projects/:id/members", { id: projectId })}>Members</ButtonLink>
      </Panel>
    );
  return (
    <AccountForm state={state} submit="Offer transfer" variant="danger">
      <p className="text-soft">
        When the member accepts, they become the owner of all designs and images, including the trash. The project then uses their storage.
        You become an editor.
      </p>
      {field ? (
        <Field htmlFor={field.id} label="New owner" errorId={field.errorId} errors={field.errors}>
          <Select
            id={field.id}
            name="userId"
            defaultValue={typeof field.initialValue === "string" ? field.initialValue : ""}
            aria-invalid={field.errors ? true : undefined}
            aria-describedby={field.errors ? field.errorId : undefined}
          >
            <option value="">Choose a member</option>
            {members.map(({ userId, name, email }) => (
              <option key={userId} value={userId}>
                {email === undefined ? name : `${isolate(name)} (${email})`}
              </option>
            ))}
          </Select>
        </Field>
      ) : null}
    </AccountForm>
  );
}

export function RecipientsTransfer({ transfer }: { transfer: Transfer }) {
  const { _id: transferId, state, owner, expiresAt } = transfer;
  const accept = useIntentForm({ id: "accept-transfer", intent: "acceptTransfer" satisfies IntentName });
  const decline = useIntentForm({ id: "decline-transfer", intent: "declineTransfer" satisfies IntentName });
  if (state === "moving") return <Moving />;
  if (state === "measuring")
    return (
      <Panel>
        <p role="status">You accepted. The size of the project is being calculated. This page then shows the result.</p>
      </Panel>
    );
  const problem = accept.refusal?.result.error?.[""]?.[0];
  return (
    <Panel>
      <p>
        <bdi>{owner}</bdi> wants to transfer this project to you. If you accept, you become the owner, and <bdi>{owner}</bdi> becomes an
        editor. The project uses your storage. The offer ends on <Day at={expiresAt} />.
      </p>
      {state === "refused" ? (
        <p role="alert">You do not have enough storage for this project. Delete something, then accept again.</p>
      ) : null}
      {problem === undefined ? null : <p role="alert">{problem}</p>}
      <div className="flex flex-wrap gap-2">
        <IntentForm state={accept} hidden={{ transferId }}>
          <Button type="submit" variant="primary">
            Accept transfer
          </Button>
        </IntentForm>
        <IntentForm state={decline} hidden={{ transferId }}>
          <Button type="submit">Decline transfer</Button>
        </IntentForm>
      </div>
    </Panel>
  );
}

const Moving = () => (
  <Panel>
    <p role="status">The transfer is accepted. Storage and history are being moved to the new owner.</p>
  </Panel>
);

const Panel = ({ children }: { children: ReactNode }) => (
  <div className="grid max-w-2xl justify-items-start gap-4 rounded-lg border bg-card p-4">{children}</div>
);
