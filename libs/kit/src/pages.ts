/** Some items of a list, or their JSON texts with commas between them. */
export type Page<T> = readonly T[] | string

/**
 * A list that is as long as an organization is large, read page by page while it is sent: what a section may give for a
 * field. Read once, within the snapshot of the section.
 */
export class Pages<T> {
  readonly read: () => AsyncIterable<Page<T>>
  constructor(read: () => AsyncIterable<Page<T>>) {
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

/** A page as text; empty for one without items. */
export const pageText = (page: Page<unknown>): string =>
  typeof page === 'string' ? page : page.map((item) => JSON.stringify(item)).join()

/** The same fields with whole lists, for who wants to look at them. */
export const wholeFields = async <Fields extends object>(fields: Fields): Promise<Whole<Fields>> => {
  const whole: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (value instanceof Pages) {
      const items: unknown[] = []
      for await (const page of value.read()) items.push(...JSON.parse(`[${pageText(page)}]`))
      whole[name] = items
    } else whole[name] = value
  }
  return whole as Whole<Fields>
}
