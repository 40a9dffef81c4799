import { engineSettings } from '@parley/kit'
import { z } from 'zod'

export const config = z.object({ ...engineSettings.postgres, ...engineSettings.kafka })
