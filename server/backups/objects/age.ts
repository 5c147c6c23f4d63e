import { Decrypter, Encrypter, generateHybridIdentity, generateX25519Identity, identityToRecipient } from "age-encryption";
import { DamageError, WrongKeyError } from "./verified.ts";

export type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export function isRecipient(text: string): boolean {
  try {
    new Encrypter().addRecipient(text);
    return true;
  } catch {
    return false;
  }
}

export function isIdentity(text: string): boolean {
  try {
    new Decrypter().addIdentity(text);
    return true;
  } catch {
    return false;
  }
}

/** Returns a new identity. It resists quantum computers if one of the recipients does, because it opens the same files. */
export const newIdentity = (recipients: readonly string[]): Promise<string> =>
  recipients.some((recipient) => recipient.startsWith("age1pq1")) ? generateHybridIdentity() : generateX25519Identity();

export const recipientOf = (identity: string): Promise<string> => identityToRecipient(identity);

export async function* encrypt(content: Content, recipients: readonly string[]): AsyncGenerator<Uint8Array, void, undefined> {
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  yield* await encrypter.encrypt(streamOf(content).stream);
}

/** Throws `WrongKeyError`, `DamageError` for an invalid content, and the errors of the source. `what` names the content. */
export async function* decrypt(content: Content, identities: readonly string[], what: string): AsyncGenerator<Uint8Array, void, undefined> {
  const decrypter = new Decrypter();
  for (const identity of identities) decrypter.addIdentity(identity);
  const { stream, failure } = streamOf(content);
  try {
    yield* await decrypter.decrypt(stream);
  } catch (error) {
    if (failure() !== null) throw failure();
    throw isWrongKey(error) ? new WrongKeyError(`None of the keys decrypts ${what}.`, { cause: error }) : damage(what, error);
  }
}

/** Encrypts a short text to a passphrase. It takes some seconds and 256 MB, so that guesses do, too. */
export async function encryptToPassphrase(text: string, passphrase: string): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(text);
}

export async function decryptWithPassphrase(content: Uint8Array, passphrase: string, what: string): Promise<string> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(content, "text");
  } catch (error) {
    throw isWrongKey(error) ? new WrongKeyError(`The passphrase does not open ${what}.`, { cause: error }) : damage(what, error);
  }
}

/** `failure`: why the content ended, which a stream of the library may replace by its own error. */
function streamOf(content: Content): { stream: ReadableStream<Uint8Array>; failure: () => unknown } {
  const chunks = chunksOf(content);
  let failure: unknown = null;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        failure = error;
        controller.error(error);
      }
    },
    async cancel() {
      await chunks.return();
    },
  });
  return { stream, failure: () => failure };
}

async function* chunksOf(content: Content): AsyncGenerator<Uint8Array, void, undefined> {
  yield* content;
}

const isWrongKey = (error: unknown): boolean => error instanceof Error && error.message.startsWith("no identity matched");
const damage = (what: string, cause: unknown): DamageError => new DamageError(`${what} cannot be decrypted: it is damaged.`, { cause });
