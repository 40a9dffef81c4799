import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with the plain line that CI counts by: `N passed, N failed`. */
export default class PlainLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0
    let failed = unhandledErrors.length
    for (const module of modules) {
      // A file that could not be loaded has no tests to fail.
      if (module.errors().length > 0) failed += 1
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed += 1
        if (state === 'failed') failed += 1
      }
    }
    process.on('exit', () => console.log(`${passed} passed, ${failed} failed`))
  }
}
