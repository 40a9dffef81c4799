import type { StackControls, StackToKill, StackWish } from '../running/stack-for-faults.ts'

export type FaultStack = StackToKill & StackControls

const ask = async (wish: StackWish): Promise<unknown> => {
  const answer = await fetch(process.env.PARLEY_STACK_TO_KILL!, {
    method: 'POST',
    body: JSON.stringify(wish),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return answer.json()
}

const control =
  (method: keyof StackControls) =>
  async (...args: readonly unknown[]): Promise<never> =>
    (await ask({ method, args })) as never

/** The system that may be killed in parts. Whoever does so leaves it whole: others come after. */
export const faultStack = async (): Promise<FaultStack> => ({
  ...((await ask({ method: 'describe', args: [] })) as StackToKill),
  kill: control('kill'),
  restart: control('restart'),
  stopEngine: control('stopEngine'),
  startEngine: control('startEngine'),
})
