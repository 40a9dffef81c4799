import { expectWholeList } from '@parley/testkit/holdings'
import { it } from 'vitest'
import { holdings } from './holdings.ts'

it('names every table, and columns that there are', () => expectWholeList(holdings))
