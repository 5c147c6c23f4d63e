/**
 * What is on its way to a client. All of it stands before the answer to what the client asks next, and buffers on the way (the system's, a proxy's, the
 * browser's) hide how much that is: so the client itself is asked how far it has read, by pings that say how much was sent before them, which its
 * pongs repeat (RFC 6455, 5.5.3).
 */
export type InFlight = {
  /** Bytes were handed over to the socket. */
  handedOver(bytes: number): void;
  /** Bytes have left. */
  left(bytes: number): void;
  /** Asks the client how far it has read. */
  ask(): void;
  /** Asks where enough was sent since it was last asked. */
  askAfter(bytes: number): void;
  /** Takes the client's answer, which is what it was asked with. What has not even left cannot have been read, whatever it says. */
  answered(mark: string): void;
  /** Bytes that the client has not read, as far as we know. */
  readonly unread: number;
  /** Bytes that have not left, since the client does not read or the line is slow. */
  readonly unsent: number;
};

/** @param ping sends a ping with this as its payload */
export function createInFlight(ping: (mark: string) => void): InFlight {
  // Bytes since the beginning: all of them, those before the last question, and those that were read.
  let [sent, asked, read] = [0, 0, 0];
  let unsent = 0;
  const ask = () => {
    asked = sent;
    ping(String(sent));
  };
  return {
    handedOver(bytes) {
      sent += bytes;
      unsent += bytes;
    },
    left: (bytes) => void (unsent -= bytes),
    ask,
    askAfter(bytes) {
      if (sent - asked >= bytes) ask();
    },
    answered(mark) {
      const upTo = Math.min(Number(mark), sent - unsent);
      if (upTo > read) read = upTo;
    },
    get unread() {
      return sent - read;
    },
    get unsent() {
      return unsent;
    },
  };
}
