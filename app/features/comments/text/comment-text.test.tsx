import * as fc from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { CommentText } from "./comment-text";
import { parseComment, safeAddress } from "./parse-comment";

const html = (text: string) =>
  renderToStaticMarkup(<CommentText text={text} />)
    .replaceAll(' dir="auto"', "")
    .replace(/^<div class="comment-text">(.*)<\/div>$/s, "$1");

const link = (address: string, text = address) =>
  `<a href="${address}" rel="noopener nofollow ugc" target="_blank" title="${address}">${text}</a>`;

describe("the supported syntax", () => {
  it.each([
    ["a line break", "one\ntwo\n\nthree", "<p>one<br/>two</p><p>three</p>"],
    ["bold and italic", "**bold** _italic_ ***both***", "<p><strong>bold</strong> <em>italic</em> <em><strong>both</strong></em></p>"],
    ["code in a line", "`a < b`", "<p><code>a &lt; b</code></p>"],
    ["a code block", "```js\nlet a;\n\n  b();\n```", '<pre tabindex="0"><code>let a;\n\n  b();</code></pre>'],
    ["a list", "- a\n- b\n  - c", "<ul><li>a</li><li><p>b</p><ul><li>c</li></ul></li></ul>"],
    ["a numbered list", "3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
    ["a list of tasks", "- [ ] a\n- [x] b", "<ul><li>☐ a</li><li>☑ b</li></ul>"],
    ["an address", "See https://a.example/b?c=d.", `<p>See ${link("https://a.example/b?c=d")}.</p>`],
    ["a named link", "[brief](https://a.example/)", `<p>${link("https://a.example/", "brief")}</p>`],
    ["an e-mail address", "ada@a.example", `<p>${link("mailto:ada@a.example", "ada@a.example")}</p>`],
    ["an escaped character", "\\*no\\*", "<p>*no*</p>"],
  ])("renders %s", (_name, text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it.each([
    ["# heading", "<p># heading</p>"],
    ["> quote", "<p>&gt; quote</p>"],
    ["---", "<p>---</p>"],
    ["![pixel](https://a.example/p.gif)", "<p>![pixel](https://a.example/p.gif)</p>"],
    ["<b>bold</b> &amp;", "<p>&lt;b&gt;bold&lt;/b&gt; &amp;amp;</p>"],
    ["a | b\n--|--\nc | d", "<p>a | b<br/>--|--<br/>c | d</p>"],
  ])("shows other syntax as text: %s", (text, expected) => {
    expect(html(text)).toBe(expected);
  });

  it("shows the name of a mentioned person", () => {
    expect(html("**@[Ada <b>](k17)**, @[x](y z)")).toBe(
      '<p><strong><span class="comment-mention">@<bdi>Ada &lt;b&gt;</bdi></span></strong>, @[x](y z)</p>',
    );
  });
});

describe("a text that is mostly syntax", () => {
  it.each(["***a* ", "_a__a_", "a@", "- a\n", "a" + " ".repeat(9)])("stays text, because the parser would take seconds: %j", (part) => {
    const text = part.repeat(5000 / part.length).trim();
    const [block, ...others] = parseComment(text);
    expect([block?.kind, others]).toEqual(["paragraph", []]);
    const children = block?.kind === "paragraph" ? block.children : [];
    expect(children.map((each) => (each.kind === "text" ? each.text : "\n")).join("")).toBe(text);
  });

  it("shows line breaks and the names of mentioned people", () => {
    expect(html(`${"*".repeat(401)}\n@[Ada](k17)`)).toBe(`<p>${"*".repeat(401)}<br/>@Ada</p>`);
  });

  it("is parsed if only its code is", () => {
    const code = "if (a && b) { c[d] = e * (f - g); }\n".repeat(100);
    expect(parseComment(`**Code:**\n\n\`\`\`js\n${code}\`\`\``).map(({ kind }) => kind)).toEqual(["paragraph", "code"]);
  });
});

describe("unsafe text", () => {
  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:a",
    "file:///etc/passwd",
    "blob:https://a.example/1",
    "//evil.example",
    "/sign-out",
    "",
  ])("refuses the address %j", (address) => {
    expect(safeAddress(address)).toBeNull();
    expect(html(`[link](${address})`)).not.toContain("<a ");
    expect(html(`[link](<${address}>)`)).not.toContain("<a ");
  });

  const TAGS = new Set(["p", "pre", "code", "ul", "ol", "li", "br", "strong", "em", "a", "span", "bdi"]);
  const ATTRIBUTES =
    /^(?: (?:dir="auto"|tabindex="0"|start="\d+"|class="comment-mention"|rel="noopener nofollow ugc"|target="_blank"|title="[^"]*"|href="(?:https?:\/\/|mailto:)[^"]*"))*\/?$/;

  function expectOnlyKnownMarkup(text: string) {
    for (const [, name = "", attributes = ""] of html(text).matchAll(/<\/?([^\s/>]*)([^>]*)>/g)) {
      expect(TAGS, text).toContain(name);
      expect(attributes, text).toMatch(ATTRIBUTES);
    }
  }

  const PIECES = [
    ..."[]()<>*_`~!@#|\\\"'&:/-+. \n\t".split(""),
    ..."javascript: data:text/html, https://a.example mailto: <img src=x onerror=alert(1)> <script> </p> &#x6a; &colon; www.a.example ![a](b) [a](b) @[a](b) - 1. ``` ** \u0000 \u202E é"
      .split(" ")
      .flatMap((piece) => [piece, ` ${piece}`]),
  ];
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 200 }),
  );

  it("renders only allowed elements, attributes and addresses, for any text", () => {
    fc.assert(fc.property(texts, expectOnlyKnownMarkup), { numRuns: 2_000 });
  });

  it("renders every word of a text without syntax", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }).map((each) => each.join(" "));
    fc.assert(
      fc.property(words, (text) => {
        expect(html(text)).toBe(`<p>${text}</p>`);
      }),
    );
  });

  it("is parsed without exceeding the stack, however deep its lists are", () => {
    for (const marker of ["1. ", "- ", "- 1. ", "* + "]) {
      const text = `${marker.repeat(5_000 / marker.length - 1)}end`;
      expect(JSON.stringify(parseComment(text)).length).toBeLessThan(20_000);
      expect(html(text)).toContain("end");
    }
  });
});
