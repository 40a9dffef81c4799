import type { ServerResponse } from 'node:http'

/** Milliseconds for which a client may take nothing of its answer. */
export const readTimeout = 60_000

/**
 * For an answer that has been handed over whole: ends the connection of a client that stops taking it, which would hold
 * what is left of it for as long as it likes.
 */
export const expectReading = (response: ServerResponse, patience = readTimeout): void => {
  // The socket's time starts anew with everything that is taken, and is given back to the server with the end.
  if (response.writableLength > 0) response.setTimeout(patience, () => response.destroy())
}
