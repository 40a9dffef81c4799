/**
 * Which organization a Host header names: the host of PUBLIC_URL is the root organization (subdomain ''), one
 * label in front of it is an organization's subdomain. Undefined for every other host.
 */
export type SubdomainOf = (host: string | undefined) => string | undefined

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** The host without its port, lower-case, without a trailing dot. */
const hostname = (host: string): string => {
  const end = host.endsWith(']') ? -1 : host.lastIndexOf(':')
  const name = (end === -1 ? host : host.slice(0, end)).toLowerCase()
  return name.endsWith('.') ? name.slice(0, -1) : name
}

/** `loopbackIsRoot`: development, where 127.0.0.1 and its names mean the root organization too. */
export const subdomainOf = (publicUrl: string, loopbackIsRoot: boolean): SubdomainOf => {
  const root = new URL(publicUrl).hostname
  const suffix = `.${root}`
  return (host) => {
    if (host === undefined || host.length > 300) return undefined
    const name = hostname(host)
    if (name === root) return ''
    if (name.endsWith(suffix)) {
      const subdomain = name.slice(0, -suffix.length)
      return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(subdomain) ? subdomain : undefined
    }
    return loopbackIsRoot && loopback.has(name) ? '' : undefined
  }
}

/** The address of the organization at `subdomain`, without a trailing slash. */
export const realmUrl = (publicUrl: string, subdomain: string): string => {
  if (subdomain === '') return publicUrl
  const url = new URL(publicUrl)
  return `${url.protocol}//${subdomain}.${url.host}`
}
