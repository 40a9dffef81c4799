/** A JSON Schema as a few words for a reader: `list of integer`, `text, at most 60`, `object {name, description?}`. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema | false
  readonly prefixItems?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly default?: unknown
  readonly maxLength?: number
}

const words: Readonly<Record<string, string>> = { string: 'text', null: 'null', number: 'number' }

/** Fields of an object that are named where it is mentioned; more are cut short. */
const namedFields = 8

const objectText = ({ properties, required = [], additionalProperties }: Schema): string => {
  const names = Object.keys(properties ?? {})
  if (names.length === 0) {
    return typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
      ? `object of ${typeText(additionalProperties)}`
      : 'object'
  }
  const shown = names.slice(0, namedFields).map((name) => (required.includes(name) ? name : `${name}?`))
  return `object {${shown.join(', ')}${names.length > namedFields ? ', …' : ''}}`
}

export const typeText = (schema: Schema): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map(typeText).join(' and ')
  if (schema.prefixItems !== undefined) return `[${schema.prefixItems.map(typeText).join(', ')}]`
  switch (schema.type) {
    case 'array':
      return schema.items ? `list of ${typeText(schema.items)}` : 'list'
    case 'object':
      return objectText(schema)
    case 'string':
      return schema.maxLength === undefined ? 'text' : `text, at most ${schema.maxLength}`
    case undefined:
      return 'any value'
    default:
      return [schema.type]
        .flat()
        .map((type) => words[type] ?? type)
        .join(' | ')
  }
}
