import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

interface Rules {
  readonly spec: {
    readonly groups: readonly { readonly rules: readonly { alert?: string; expr: string }[] }[]
  }
}

/**
 * What Prometheus is asked for an alert, without for how long it has to be so.
 *
 * @throws Error when there is no such alert.
 */
export const conditionOf = async (alert: string): Promise<string> => {
  const rules = parse(await readFile(new URL('rules.yaml', import.meta.url), 'utf8')) as Rules
  const found = rules.spec.groups.flatMap((group) => group.rules).find((rule) => rule.alert === alert)
  if (found === undefined) throw new Error(`there is no alert ${alert}`)
  return found.expr
}
