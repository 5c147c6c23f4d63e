import { type ComponentProps, useEffect, useRef, useState } from "react";
import { TextArea } from "~/lib/ui/inputs/text-area";
import { announce } from "~/lib/ui/overlays/announcer";
import { fromTokens, plainName, toTokens, withMention } from "./mentions";
import { MentionList } from "./mention-list";
import { useMentions } from "./use-mentions";

type MentionAreaProps = ComponentProps<"textarea"> & {
  projectId: string | null;
};

export function MentionArea({ projectId, onChange, ...rest }: MentionAreaProps) {
  const { name = "" } = rest;
  const field = useRef<HTMLTextAreaElement>(null);
  const people = useRef<Record<string, string>>({});
  const [typed, setTyped] = useState({ text: "", caret: 0 });
  const readCaret = ({ value, selectionStart }: HTMLTextAreaElement) => setTyped({ text: value, caret: selectionStart });
  const mentions = useMentions({
    projectId,
    ...typed,
    onChoose(person, mention) {
      if (!field.current) return;
      const next = withMention(typed.text, mention.start, mention.caret, person);
      people.current[plainName(person.name)] = person.id;
      field.current.value = next.text;
      field.current.setSelectionRange(next.caret, next.caret);
      field.current.focus();
      readCaret(field.current);
      announce(`${person.name} mentioned`);
    },
  });

  useEffect(() => {
    const area = field.current;
    const form = area?.form;
    if (!area || !form) return;
    if (area.value === area.defaultValue) {
      const shown = fromTokens(area.value);
      people.current = { ...shown.people };
      if (shown.text !== area.value) area.value = shown.text;
    }
    const send = ({ formData }: FormDataEvent) => formData.set(name, toTokens(area.value, people.current));
    form.addEventListener("formdata", send);
    return () => form.removeEventListener("formdata", send);
  }, [name]);

  return (
    <>
      <TextArea
        {...rest}
        {...mentions.fieldProps}
        ref={field}
        onChange={(event) => {
          readCaret(event.target);
          onChange?.(event);
        }}
        onSelect={(event) => readCaret(event.currentTarget)}
        onKeyDown={(event) => {
          if (mentions.onKey(event)) return;
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
        }}
      />
      <MentionList mentions={mentions} />
    </>
  );
}
