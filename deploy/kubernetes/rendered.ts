import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { checkout } from '../checkout.ts'
import { findProgram } from '../machine/commands.ts'

const run = promisify(execFile)

export const overlays = ['local', 'production'] as const
export type Overlay = (typeof overlays)[number]

// biome-ignore lint/suspicious/noExplicitAny: manifests of every kind; what is asked of each is in policy.ts.
export type Manifest = any

/**
 * The manifests of an overlay as they would be applied.
 *
 * @throws Error when neither kubectl nor kustomize is installed, or the overlay cannot be built.
 */
export const rendered = async (overlay: Overlay): Promise<Manifest[]> => {
  const folder = join(checkout, 'k8s', 'overlays', overlay)
  const kubectl = await findProgram('kubectl')
  const kustomize = kubectl === undefined ? await findProgram('kustomize') : undefined
  if (kubectl === undefined && kustomize === undefined)
    throw new Error('neither kubectl nor kustomize is installed: one of them builds the overlays')
  const { stdout } = await run(
    kubectl ?? kustomize!,
    [kubectl === undefined ? 'build' : 'kustomize', folder],
    { maxBuffer: 32 * 1024 * 1024 },
  )
  return parseAllDocuments(stdout).map((document) => document.toJS())
}

/** Kinds that Kubernetes itself has; all others are custom resources. */
export const isBuiltIn = ({ apiVersion }: Manifest): boolean =>
  !apiVersion.includes('.') ||
  (/^[a-z]+(\.k8s\.io)?\/v\d+$/.test(apiVersion) && !apiVersion.startsWith('gateway.'))
