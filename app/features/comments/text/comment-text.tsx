import { Fragment, type ReactNode } from "react";
import { type Block, type Inline, parseComment } from "./parse-comment";

/** Renders a comment's text as React elements, so that nothing in it becomes HTML. */
export function CommentText({ text }: { text: string }) {
  return <div className="comment-text">{blocks(parseComment(text))}</div>;
}

const keyed = <Part,>(parts: readonly Part[], render: (part: Part) => ReactNode): ReactNode =>
  parts.map((part, index) => <Fragment key={index}>{render(part)}</Fragment>);

const blocks = (parts: readonly Block[]): ReactNode =>
  keyed(parts, (block) => {
    if (block.kind === "code")
      return (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard must be able to scroll it
        <pre dir="auto" tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    if (block.kind === "paragraph") return <p dir="auto">{inlines(block.children)}</p>;
    const items = keyed(block.items, (item) => (
      <li dir="auto">{item.length === 1 && item[0]?.kind === "paragraph" ? inlines(item[0].children) : blocks(item)}</li>
    ));
    return block.start === null ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
  });

const inlines = (parts: readonly Inline[]): ReactNode =>
  keyed(parts, (part) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "break":
        return <br />;
      case "bold":
        return <strong>{inlines(part.children)}</strong>;
      case "italic":
        return <em>{inlines(part.children)}</em>;
      case "code":
        return <code dir="auto">{part.text}</code>;
      case "link":
        return (
          <a href={part.address} rel="noopener nofollow ugc" target="_blank" dir="auto" title={part.address}>
            {inlines(part.children)}
          </a>
        );
      case "mention":
        return (
          <span className="comment-mention">
            @<bdi>{part.name}</bdi>
          </span>
        );
    }
  });
