import { Counter, Histogram } from 'prom-client'

export const dueOutcomes = new Counter({
  name: 'parley_due_work_total',
  help: 'What was due (scheduled messages, reminders, notices), by what became of it.',
  labelNames: ['work', 'outcome'],
})

export const dueLateness = new Histogram({
  name: 'parley_due_work_late_seconds',
  help: 'How long after its time something was begun.',
  labelNames: ['work'],
  buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 600],
})
