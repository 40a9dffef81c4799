import type { z } from 'zod'
import { ApiError } from './errors.ts'
import { decodeParameter, takesNull, type WireKind, wireKind } from './parameter.ts'

interface ParameterPlan {
  name: string
  schema: z.ZodType
  kind: WireKind
  aliases: readonly string[]
  optional: boolean
  /** What an absent parameter becomes, where every request can be given the same value. */
  absent: { value: unknown } | undefined
  takesNull: boolean
}

export interface ReadParameters {
  values: Record<string, unknown>
  /** Names that the client sent and the endpoint does not know (level 167). */
  ignored: string[]
}

export type ParameterReader = (sent: Record<string, unknown>, path: Record<string, string>) => ReadParameters

/** Accepted everywhere: the client's name for itself, and what retrying clients add (conventions.md). */
const acceptedEverywhere = new Set(['client'])

/** Nothing, or a plain value: a list or an object could be changed by one request under the eyes of another. */
const shareableDefault = (schema: z.ZodType): { value: unknown } | undefined => {
  const outcome = schema.safeParse(undefined)
  if (!outcome.success || (typeof outcome.data === 'object' && outcome.data !== null)) return undefined
  return { value: outcome.data }
}

const kindNames: Record<string, string> = {
  int: 'an integer',
  number: 'an integer',
  boolean: 'a boolean',
  string: 'a string',
  array: 'a list',
  object: 'a dict',
  record: 'a dict',
}

const issuePlace = (name: string, path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (place, step) => `${place}[${typeof step === 'number' ? step : `"${String(step)}"`}]`,
    name,
  )

/** Of the kinds that a value may be of, what there is too much of for the one that it is. */
const excessIn = (issue: z.core.$ZodIssue): z.core.$ZodIssue | undefined => {
  if (issue.code === 'too_big') return issue
  if (issue.code !== 'invalid_union') return undefined
  const [excess] = issue.errors.flat().flatMap((one) => excessIn(one) ?? [])
  return excess && { ...excess, path: [...issue.path, ...excess.path] }
}

/** One sentence a person can act on, naming the parameter, from zod's first finding. */
const issueSentence = (name: string, issue: z.core.$ZodIssue): string => {
  const place = issuePlace(name, issue.path)
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined && issue.path.length > 0) return `${place} field is missing`
      return `${place} is not ${kindNames[issue.expected] ?? `a valid ${issue.expected}`}`
    case 'too_big':
      return issue.origin === 'string'
        ? `${place} is too long (limit: ${issue.maximum} characters)`
        : `${place} is too large (limit: ${issue.maximum})`
    case 'too_small':
      return issue.origin === 'string' ? `${place} cannot be blank` : `${place} is too small`
    case 'custom':
      return issue.message.toLowerCase().includes(place.toLowerCase())
        ? issue.message
        : `${place}: ${issue.message}`
    case 'invalid_union': {
      const excess = excessIn(issue)
      return excess === undefined ? `Invalid ${place}` : issueSentence(name, excess)
    }
    default:
      return `Invalid ${place}`
  }
}

/**
 * Compiles a contract's parameters into the function that reads them from what clients send: `sent` holds query
 * and body merged (body first), `path` the decoded path segments.
 *
 * @throws ApiError REQUEST_VARIABLE_MISSING, REQUEST_CONFUSING_VAR, or BAD_REQUEST with a sentence naming the parameter.
 */
export const parameterReader = (
  params: z.ZodRawShape,
  aliases: Readonly<Record<string, readonly string[]>> = {},
): ParameterReader => {
  const plans: ParameterPlan[] = Object.entries(params).map(([name, declared]) => {
    const schema = declared as z.ZodType
    return {
      name,
      schema,
      kind: wireKind(schema),
      aliases: aliases[name] ?? [],
      optional: schema.safeParse(undefined).success,
      absent: shareableDefault(schema),
      takesNull: takesNull(schema),
    }
  })
  const known = new Set([...plans.flatMap((plan) => [plan.name, ...plan.aliases]), ...acceptedEverywhere])

  const readOne = (
    plan: ParameterPlan,
    sent: Record<string, unknown>,
    path: Record<string, string>,
  ): unknown => {
    const inPath = Object.hasOwn(path, plan.name)
    let name = plan.name
    let raw: unknown = inPath ? path[name] : Object.hasOwn(sent, name) ? sent[name] : undefined
    for (const alias of plan.aliases) {
      if (!Object.hasOwn(sent, alias)) continue
      if (raw !== undefined) {
        throw new ApiError(
          'REQUEST_CONFUSING_VAR',
          `Can't decide between '${name}' and '${alias}' arguments`,
          {
            var_name1: name,
            var_name2: alias,
          },
        )
      }
      name = alias
      raw = sent[alias]
    }
    if (raw !== undefined && plan.optional && !plan.takesNull && (raw === 'null' || raw === null))
      raw = undefined
    if (raw === undefined && !plan.optional) {
      throw new ApiError('REQUEST_VARIABLE_MISSING', `Missing '${plan.name}' argument`, {
        var_name: plan.name,
      })
    }
    if (raw === undefined && plan.absent !== undefined) return plan.absent.value
    const value = raw === undefined ? undefined : decodeParameter(name, plan.kind, raw)
    const outcome = plan.schema.safeParse(value, { reportInput: true })
    if (outcome.success) return outcome.data
    throw new ApiError('BAD_REQUEST', issueSentence(name, outcome.error.issues[0]!))
  }

  return (sent, path) => {
    const values: Record<string, unknown> = {}
    for (const plan of plans) {
      const value = readOne(plan, sent, path)
      if (value !== undefined) values[plan.name] = value
    }
    const ignored = Object.keys(sent).filter((name) => !known.has(name) || Object.hasOwn(path, name))
    return { values, ignored }
  }
}
