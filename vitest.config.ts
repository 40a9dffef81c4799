import { defineConfig } from 'vitest/config'

const common = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  pool: 'forks' as const,
}

/**
 * One stack (engines and services) serves all tests of a run; each isolates itself by its own realm, database or
 * topic. The faults have a stack of their own, to kill, and the machine to themselves.
 */
export default defineConfig({
  test: {
    globalSetup: ['./test/running/stack-for-tests.ts', './test/running/stack-for-faults.ts'],
    reporters: ['default', './test/running/plain-line-reporter.ts'],
    maxWorkers: 2,
    projects: [
      {
        test: {
          ...common,
          name: 'rooms',
          include: ['libs/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'deploy/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...common,
          name: 'house',
          include: ['test/acceptance/**/*.test.ts', 'test/telemetry/declared.test.ts'],
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...common,
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          testTimeout: 300_000,
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...common,
          // What all the others left in the logs.
          name: 'afterwards',
          include: ['test/telemetry/no-*.test.ts'],
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
})
