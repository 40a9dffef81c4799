/** How often work is tried that meets others in deadlocks or serialization failures. */
export const maxAttempts = 5

/** Milliseconds until the next attempt: those who met should not meet again. */
export const pauseAfter = (attempts: number): number => Math.random() * 10 * 2 ** attempts
