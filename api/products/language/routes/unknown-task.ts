import { Type } from 'typebox'
import { Problem } from '#kit'
import { TASKS } from '../../../../tasks/products/language/index.ts'
import { route } from '../../../route.ts'

/** Every task has a path of its own; this is what is left. */
export default route({
  at: 'POST /v1/llm/{task}',
  summary: 'Say that there is no such task.',
  auth: ['none'],
  hidden: true,
  tool: false,
  params: Type.Object({ task: Type.String() }),
  reply: { status: 200, schema: Type.Object({}) },
  errors: ['TASK_NOT_FOUND'],
  handle: ({ params: { task } }) => {
    throw new Problem('TASK_NOT_FOUND', { task, tasks: TASKS.map(({ slug }) => slug) })
  },
})
