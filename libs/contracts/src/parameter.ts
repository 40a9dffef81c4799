/**
 * How a parameter travels. Clients send every parameter as text (query, form field) or as a JSON value; a
 * declaration says only what the value must be, and its way of travelling follows from that: strings are taken
 * raw, everything else is JSON text (conventions.md, "Requests").
 */
import { z } from 'zod'
import { nullCharacter, parseBoundedJson } from './bounded-json.ts'
import { ApiError } from './errors.ts'

/**
 * - `text`: taken raw.
 * - `json`: JSON text (`true`, `12`, `[1,2]`); booleans in any case.
 * - `either`: JSON text when it parses, else the raw text (an ID or a name, a list or one e-mail).
 * - `quotable`: a string that clients may send bare or as a JSON string.
 */
export type WireKind = 'text' | 'json' | 'either' | 'quotable'

const declaredKinds = new WeakMap<z.ZodType, WireKind>()

const travelsAs =
  (kind: WireKind) =>
  <T extends z.ZodType>(schema: T): T => {
    declaredKinds.set(schema, kind)
    return schema
  }

/** For parameters that take an ID or a name, one value or a list: `to`, `principals`, narrow operands. */
export const either = travelsAs('either')
/** For string parameters that some clients JSON-encode. */
export const quotable = travelsAs('quotable')

/** The schema inside `.optional()`, `.default()`, `.nullable()`, and the input side of a transformation. */
const innerSchema = (schema: z.ZodType): z.ZodType | undefined => {
  const definition = schema.def as { innerType?: z.ZodType; in?: z.ZodType }
  return definition.innerType ?? definition.in
}

export const wireKind = (schema: z.ZodType): WireKind => {
  const declared = declaredKinds.get(schema)
  if (declared !== undefined) return declared
  const inner = innerSchema(schema)
  if (inner !== undefined) return wireKind(inner)
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat || schema instanceof z.ZodEnum) {
    return 'text'
  }
  return 'json'
}

/** Whether `null` is a value of this parameter rather than an unset one. */
export const takesNull = (schema: z.ZodType): boolean => schema.safeParse(null).success

const parseJson = (name: string, text: string): unknown => {
  const lowered = text.length <= 5 ? text.toLowerCase() : text
  if (lowered === 'true') return true
  if (lowered === 'false') return false
  try {
    return parseBoundedJson(text)
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('BAD_REQUEST', `${name} is not valid JSON`)
  }
}

/** Names of channels and the like are what is usually sent unquoted: finding that out by an exception is dear. */
const mayBeJson = /^\s*(?:["[{]|-?\d[\d.eE+-]*\s*$|(?:true|false|null)\s*$)/

const parseLeniently = (text: string): unknown => {
  if (!mayBeJson.test(text)) return text
  try {
    return parseBoundedJson(text)
  } catch (error) {
    if (error instanceof ApiError) throw error
    return text
  }
}

/**
 * Turns what a client sent for one parameter into the value that its schema checks. `sent` is text, except from
 * a JSON body, whose values are taken as they are.
 *
 * @throws ApiError BAD_REQUEST when JSON was due and the text is not JSON, and for null characters.
 */
export const decodeParameter = (name: string, kind: WireKind, sent: unknown): unknown => {
  if (typeof sent !== 'string') return kind === 'text' && typeof sent === 'number' ? String(sent) : sent
  if (sent.includes('\0')) throw nullCharacter()
  switch (kind) {
    case 'text':
      return sent
    case 'quotable': {
      const value = sent.startsWith('"') ? parseLeniently(sent) : sent
      return typeof value === 'string' ? value : sent
    }
    case 'either':
      return parseLeniently(sent)
    case 'json':
      return parseJson(name, sent)
  }
}
