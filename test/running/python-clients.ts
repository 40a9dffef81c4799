import { pythonWith } from '../../deploy/provisioning/python.ts'

/** Packages of clients that the tests run unmodified, by exact version. */
const packages = ['zulip==0.9.1', 'zulip-botserver==0.9.1', 'tuspy==1.1.0']

/** A Python with the published client packages. */
export const pythonWithClients = (): Promise<string> => pythonWith(packages)
