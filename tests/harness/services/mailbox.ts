import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

export type Received = {
  to: string;
  from: string;
  subject: string;
  headers: string;
  text: string;
  html: string;
  link: string;
};

export type Mailbox = {
  url: string;
  for(address: string): Received[];
  all(): Received[];
  refuseWith(error: { code: number; message: string } | null): void;
  close(): Promise<void>;
};

export async function startMailbox(port = 0): Promise<Mailbox> {
  const received: Received[] = [];
  let refusal: { code: number; message: string } | null = null;
  const server = new SMTPServer({
    disabledCommands: ["AUTH", "STARTTLS"],
    logger: false,
    onRcptTo(_, __, done) {
      done(refusal ? Object.assign(new Error(refusal.message), { responseCode: refusal.code }) : null);
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : "";
        received.push(parse(Buffer.concat(chunks).toString("utf8"), to, from));
        done();
      });
    },
  });
  server.listen(port, "127.0.0.1");
  await once(server.server, "listening");
  const address = server.server.address();
  if (!isAddressInfo(address)) throw new Error("No port");
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    for: (to) => received.filter((mail) => mail.to === to),
    all: () => received,
    refuseWith(error) {
      refusal = error;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo => typeof address === "object" && address !== null;

function parse(raw: string, to: string, from: string): Received {
  const { headers, body } = split(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers)?.[1] ?? "";
  const parts = body.split(`--${boundary}`).map((part) => split(part.replace(/^\r?\n/, "")));
  const part = (type: string) => {
    const found = parts.find((each) => each.headers.includes(type));
    return found ? decoded(found) : "";
  };
  const plain = part("text/plain");
  return {
    to,
    from,
    headers,
    subject: decodedWords(/^Subject: (.*(?:\r?\n[ \t].*)*)/m.exec(headers)?.[1] ?? ""),
    text: plain,
    html: part("text/html"),
    link: /https?:\/\/\S+/.exec(plain)?.[0] ?? "",
  };
}

function split(text: string): { headers: string; body: string } {
  const [headers = "", ...body] = text.split(/\r?\n\r?\n/);
  return { headers, body: body.join("\n\n") };
}

function decoded({ headers, body }: { headers: string; body: string }): string {
  if (/quoted-printable/i.test(headers)) return bytesOf(body.replaceAll(/=\r?\n/g, ""), "=");
  return /base64/i.test(headers) ? Buffer.from(body, "base64").toString("utf8") : body;
}

function decodedWords(header: string): string {
  return header
    .replaceAll(/\r?\n[ \t]/g, " ")
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, way: string, word: string) =>
      way.toUpperCase() === "B" ? Buffer.from(word, "base64").toString("utf8") : bytesOf(word.replaceAll("_", " "), "="),
    );
}

function bytesOf(text: string, escape: string): string {
  const parts = text.split(new RegExp(`${escape}([0-9A-F]{2})`, "g"));
  return Buffer.concat(parts.map((part, index) => (index % 2 === 1 ? Buffer.from(part, "hex") : Buffer.from(part, "utf8")))).toString(
    "utf8",
  );
}
