/** Network buffers hide unread bytes, so pings contain the byte count and pongs repeat it (RFC 6455, 5.5.3). */
export type InFlight = {
  handedOver(bytes: number): void;
  left(bytes: number): void;
  ping(): void;
  pingAfter(bytes: number): void;
  answered(mark: string): void;
  readonly unread: number;
  readonly unsent: number;
};

export function createInFlight(ping: (mark: string) => void): InFlight {
  let [sent, pinged, read] = [0, 0, 0];
  let unsent = 0;
  const requestTimestamp = () => {
    pinged = sent;
    ping(String(sent));
  };
  return {
    handedOver(bytes) {
      sent += bytes;
      unsent += bytes;
    },
    left: (bytes) => void (unsent -= bytes),
    ping: requestTimestamp,
    pingAfter(bytes) {
      if (sent - pinged >= bytes) requestTimestamp();
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
