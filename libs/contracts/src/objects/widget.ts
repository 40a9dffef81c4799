import { z } from 'zod'

const Choices = z.object({
  type: z.literal('choices'),
  heading: z.string(),
  choices: z.array(z.object({ short_name: z.string(), long_name: z.string(), reply: z.string() })),
})

/** What a message shows besides its text: a poll, a to-do list, or buttons that answer. The content of its first submessage. */
export const Widget = z.discriminatedUnion('widget_type', [
  z.object({
    widget_type: z.literal('poll'),
    extra_data: z.object({ question: z.string(), options: z.array(z.string()) }),
  }),
  z.object({
    widget_type: z.literal('todo'),
    extra_data: z.object({
      task_list_title: z.string(),
      tasks: z.array(z.object({ task: z.string(), desc: z.string() })),
    }),
  }),
  z.object({ widget_type: z.literal('zform'), extra_data: Choices }),
])
export type Widget = z.infer<typeof Widget>
