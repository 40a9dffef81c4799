import { z } from 'zod'

/** At most `count` calls in any stretch of `seconds`. */
export interface Rule {
  readonly count: number
  readonly seconds: number
}

/** Rules as the environment writes them: `200/60`, or several with commas, which all have to be kept. */
export const rulesSetting = z.string().transform((text, context): Rule[] =>
  text.split(',').map((part) => {
    const match = /^\s*([1-9]\d{0,6})\s*\/\s*([1-9]\d{0,6})\s*$/.exec(part)
    if (match === null) {
      context.addIssue({ code: 'custom', message: `"${part}" is not a count and seconds such as 200/60` })
      return z.NEVER
    }
    return { count: Number(match[1]), seconds: Number(match[2]) }
  }),
)
