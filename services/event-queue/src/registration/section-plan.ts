import { type AnySection, contracts, type ServiceContract, type ServiceName } from '@parley/contracts'

/** What one service is asked at a registration. */
export interface SectionRequest {
  readonly service: ServiceName
  readonly sections: readonly string[]
  /** Types of events that its answer may already contain. */
  readonly covers: readonly string[]
}

/** Which services own the sections that a client asks for, and those that everybody gets; null asks for all, names that nobody knows are ignored. */
export const planSections = (
  fetchTypes: readonly string[] | null,
  services: readonly ServiceContract[] = Object.values(contracts),
): SectionRequest[] => {
  const wanted = fetchTypes === null ? undefined : new Set(fetchTypes)
  return services.flatMap((contract) => {
    const sections = (Object.values(contract.sections) as AnySection[]).filter(
      ({ name, always, onlyWith = name }) =>
        wanted === undefined || always === true || (wanted.has(name) && wanted.has(onlyWith)),
    )
    if (sections.length === 0) return []
    return [
      {
        service: contract.name,
        sections: sections.map(({ name }) => name),
        covers: [...new Set(sections.flatMap(({ name, covers }) => covers ?? [name]))],
      },
    ]
  })
}
