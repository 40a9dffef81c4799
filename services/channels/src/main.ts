import { run } from '@parley/kit'
import { service } from './service.ts'

await run(service)
