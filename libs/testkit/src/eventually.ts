/**
 * Waits for a condition instead of sleeping: calls `check` until it returns without throwing.
 *
 * @throws the last failure when `seconds` have passed.
 */
export const eventually = async <T>(check: () => Promise<T> | T, seconds = 15): Promise<T> => {
  const deadline = Date.now() + seconds * 1000
  let pause = 10
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
    pause = Math.min(pause * 1.5, 500)
  }
}
