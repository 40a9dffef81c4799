import { pythonWith } from '../../deploy/provisioning/python.ts'

/** A Python with the published client package that the tests run unmodified. */
export const pythonWithClients = (): Promise<string> => pythonWith(['zulip==0.9.1'])
