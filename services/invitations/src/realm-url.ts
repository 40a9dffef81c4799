/** Where an organization is: at the root host, or at its subdomain of it. Absolute, without a trailing slash. */
export const realmUrl = (publicUrl: string, subdomain: string): string => {
  if (subdomain === '') return publicUrl
  const url = new URL(publicUrl)
  return `${url.protocol}//${subdomain}.${url.host}${url.pathname.replace(/\/$/, '')}`
}
