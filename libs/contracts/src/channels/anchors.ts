/**
 * What the public interface calls the place after every message; the answer to `newest` carries it. Beyond 2^53, yet
 * exact as a double, so that all clients read it; numbers as high are accepted as an anchor.
 */
export const anchorAfterAll = 10_000_000_000_000_000
