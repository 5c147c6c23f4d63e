import { type PointerEvent, type SubmitEvent, useEffect, useId, useRef, useState } from "react";
import { FORM_FIELD } from "~/lib/forms/intents";
import { ACCEPTED_NAMES } from "~/features/images/display/accepted-types";
import { Avatar } from "~/lib/ui/avatar";
import { Button } from "~/lib/ui/inputs/button";
import { FieldErrors } from "~/lib/ui/inputs/field";
import { FILE_INPUT_CLASS } from "~/lib/ui/inputs/file-input-class";
import { isLarge, useUploadAhead } from "~/features/uploads/client/transfer/use-upload-ahead";
import { useAccountForm } from "../account-form";
import { CENTRE, type Crop, CROP_FIELDS, MIN_SIDE } from "./crop";

type User = { name: string; email: string; image: string | null };

const SUCCESS_TEXTS: Record<string, string> = { picture: "Saved.", "picture-removed": "Removed." };

export function PictureForm({ user }: { user: User }) {
  const state = useAccountForm({ id: "picture", intent: "picture" });
  const { fetcher, answer, doneCode } = state;
  const ahead = useUploadAhead();
  const pending = state.pending || ahead.isUploading;
  const [chosen, choose] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const { done } = state;
  useEffect(() => {
    if (!done) return;
    form.current?.reset();
    choose(null);
  }, [done]);
  useEffect(() => () => void (chosen && URL.revokeObjectURL(chosen)), [chosen]);

  function onSubmit(event: SubmitEvent<HTMLFormElement>) {
    const fields = new FormData(event.currentTarget);
    if (!isLarge(fields.get("picture"))) return;
    event.preventDefault();
    void ahead.uploadFirst(fields, "picture", { for: "picture" }).then((isReady) => {
      if (isReady) void fetcher.submit(fields, { method: "post", encType: "multipart/form-data" });
    });
  }

  const errors = ahead.problem === null ? answer?.result.error?.["picture"] : [ahead.problem];
  return (
    <div className="grid gap-5">
      <Avatar {...user} className="size-24 rounded-lg text-2xl" />
      <fetcher.Form
        ref={form}
        method="post"
        encType="multipart/form-data"
        className="grid max-w-md gap-4"
        onSubmit={onSubmit}
        onReset={() => choose(null)}
      >
        <input type="hidden" name={FORM_FIELD} value={state.id} />
        {chosen ? <CropBox key={chosen} picture={chosen} /> : null}
        <div className="grid gap-1.5">
          <label htmlFor="picture-file" className="text-sm font-medium text-soft">
            New picture
          </label>
          <input
            id="picture-file"
            type="file"
            name="picture"
            accept="image/*"
            required
            aria-describedby="picture-error picture-hint"
            className={FILE_INPUT_CLASS}
            onChange={({ currentTarget: { files } }) => choose(files?.[0] ? URL.createObjectURL(files[0]) : null)}
          />
          <FieldErrors id="picture-error" errors={errors ?? undefined} />
          <p id="picture-hint" className="text-sm text-faint">
            {ACCEPTED_NAMES}. It is cropped to the central square{chosen ? " unless you choose another area" : ""}.
          </p>
        </div>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button type="submit" aria-disabled={pending} onClick={(event) => pending && event.preventDefault()}>
            Save picture
          </Button>
          <p role="status" className="text-sm text-soft empty:hidden">
            {!pending && doneCode !== undefined ? (SUCCESS_TEXTS[doneCode] ?? "") : ""}
          </p>
        </div>
      </fetcher.Form>
      {user.image ? (
        <fetcher.Form method="post" encType="multipart/form-data">
          <input type="hidden" name={FORM_FIELD} value={state.id} />
          <input type="hidden" name="remove" value="picture" />
          <Button type="submit">Remove picture</Button>
        </fetcher.Form>
      ) : null}
    </div>
  );
}

const BOX = 224;

function CropBox({ picture }: { picture: string }) {
  const [crop, setCrop] = useState<Crop>(CENTRE);
  const [size, setSize] = useState<{ width: number; height: number } | null>(null);
  const drag = useRef<{ x: number; y: number; from: Crop } | null>(null);

  const scale = size ? BOX / (Math.min(size.width, size.height) * crop.side) : 0;
  const overflow = size ? { x: size.width * scale - BOX, y: size.height * scale - BOX } : { x: 0, y: 0 };

  const onMove = ({ clientX, clientY }: PointerEvent) => {
    const start = drag.current;
    if (!start) return;
    const moveBy = (from: number, by: number, room: number) => (room > 0 ? Math.min(1, Math.max(0, from - by / room)) : from);
    setCrop({ ...crop, x: moveBy(start.from.x, clientX - start.x, overflow.x), y: moveBy(start.from.y, clientY - start.y, overflow.y) });
  };

  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1.5 text-sm font-medium text-soft">Crop area</legend>
      <div
        className="relative touch-none overflow-hidden rounded-lg border bg-mat select-none"
        style={{ width: BOX, height: BOX, cursor: "grab" }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          drag.current = { x: event.clientX, y: event.clientY, from: crop };
        }}
        onPointerMove={onMove}
        onPointerUp={() => (drag.current = null)}
        onPointerCancel={() => (drag.current = null)}
      >
        <img
          src={picture}
          alt="Preview"
          draggable={false}
          className="absolute top-0 left-0 max-w-none origin-top-left"
          style={
            size
              ? {
                  width: size.width * scale,
                  height: size.height * scale,
                  transform: `translate(${-overflow.x * crop.x}px, ${-overflow.y * crop.y}px)`,
                }
              : { opacity: 0 }
          }
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setSize({ width, height })}
        />
      </div>
      <Slider
        label="Zoom"
        value={(1 - crop.side) / (1 - MIN_SIDE)}
        onChange={(zoom) => setCrop({ ...crop, side: 1 - zoom * (1 - MIN_SIDE) })}
      />
      <Slider label="Horizontal position" value={crop.x} onChange={(x) => setCrop({ ...crop, x })} />
      <Slider label="Vertical position" value={crop.y} onChange={(y) => setCrop({ ...crop, y })} />
      {(["side", "x", "y"] as const).map((part) => (
        <input key={part} type="hidden" name={CROP_FIELDS[part]} value={crop[part]} />
      ))}
    </fieldset>
  );
}

function Slider({ label, value, onChange }: { label: string; value: number; onChange: (value: number) => void }) {
  const id = useId();
  return (
    <div className="grid grid-cols-[7rem_minmax(0,1fr)] items-center gap-3">
      <label htmlFor={id} className="text-sm text-soft">
        {label}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.01}
        value={value}
        className="accent-accent-text pointer-coarse:h-11"
        onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}
      />
    </div>
  );
}
