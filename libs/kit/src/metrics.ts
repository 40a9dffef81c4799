import { Counter, collectDefaultMetrics, Histogram, register } from 'prom-client'

collectDefaultMetrics({ eventLoopMonitoringPrecision: 50 })

/** Rate, errors and duration of each operation; the label is the contract's name, never the raw path. */
export const requestDuration = new Histogram({
  name: 'parley_request_duration_seconds',
  help: 'Time from the first byte of a request to the end of its answer.',
  labelNames: ['operation', 'status'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 2.5, 5, 10, 60],
})

export const ignoredParameters = new Counter({
  name: 'parley_ignored_parameters_total',
  help: 'Parameters that clients sent and the operation does not know.',
  labelNames: ['operation'],
})

/** All metrics of this process in Prometheus' text format. */
export const metricsText = (): Promise<string> => register.metrics()
