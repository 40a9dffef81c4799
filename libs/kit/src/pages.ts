/**
 * A list that is as long as an organization is large, read page by page while it is sent: what a section may give for a
 * field. Read once, within the snapshot of the section.
 */
export class Pages<T> {
  readonly read: () => AsyncIterable<readonly T[]>
  constructor(read: () => AsyncIterable<readonly T[]>) {
    this.read = read
  }
}

/** Fields whose lists may come in pages. */
export type Paged<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends readonly (infer T)[] ? Fields[Name] | Pages<T> : Fields[Name]
}

type Whole<Fields> = {
  [Name in keyof Fields]: Exclude<Fields[Name], Pages<unknown>>
}

/** The same fields with whole lists, for who wants to look at them. */
export const wholeFields = async <Fields extends object>(fields: Fields): Promise<Whole<Fields>> => {
  const whole: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Pages) {
      const items: unknown[] = []
      for await (const page of value.read()) items.push(...page)
      whole[name] = items
    } else whole[name] = value
  }
  return whole as Whole<Fields>
}
