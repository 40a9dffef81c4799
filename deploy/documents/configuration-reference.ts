import { serviceNames } from '@parley/contracts'
import { baseConfig } from '@parley/kit'
import type { z } from 'zod'

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** The default in the words of the environment; empty for a setting that must be given. */
const defaultOf = (schema: z.ZodType): string => {
  let inner: z.ZodType | undefined = schema
  while (inner !== undefined) {
    const definition = inner.def as {
      type: string
      defaultValue?: unknown
      innerType?: z.ZodType
      in?: z.ZodType
    }
    if (definition.type === 'default' || definition.type === 'prefault')
      return `\`${String(definition.defaultValue)}\``
    if (definition.type === 'optional') return 'unset'
    inner = definition.innerType ?? definition.in
  }
  return 'required'
}

const sentenceOf = (schema: z.ZodType): string => {
  let inner: z.ZodType | undefined = schema
  while (inner !== undefined) {
    if (inner.description !== undefined) return inner.description
    const definition = inner.def as { innerType?: z.ZodType; in?: z.ZodType }
    inner = definition.innerType ?? definition.in
  }
  throw new Error('a setting has no sentence')
}

const table = (shape: Record<string, z.ZodType>): string[] => [
  '| setting | default | meaning |',
  '| --- | --- | --- |',
  ...Object.entries(shape).map(
    ([name, schema]) => `| ${name} | ${cell(defaultOf(schema))} | ${cell(sentenceOf(schema))} |`,
  ),
]

/** Every setting of every service, from the schemas that read them. */
export const configurationReference = async (root: URL): Promise<string> => {
  const lines = [
    '# Configuration',
    '',
    'Generated from the schemas by `npm run documents`; do not edit. A wrong value stops the start and is named.',
    '',
    '## Every service',
    '',
    ...table(baseConfig.shape as Record<string, z.ZodType>),
  ]
  for (const name of serviceNames) {
    const { config } = (await import(new URL(`services/${name}/src/config.ts`, root).href)) as {
      config: z.ZodObject
    }
    const own = Object.entries(config.shape as Record<string, z.ZodType>)
    lines.push(
      '',
      `## ${name}`,
      '',
      ...(own.length === 0 ? ['Nothing of its own.'] : table(Object.fromEntries(own))),
    )
  }
  return `${lines.join('\n')}\n`
}
