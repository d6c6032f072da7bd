import { Type } from 'typebox'
import { step } from '#kit'
import type { StepDeps } from '../../step-deps.ts'

export default step({
  summary: 'Remove what was uploaded by a form that was given out before its account was erased.',
  payload: Type.Object({ key: Type.String() }),
  run: ({ key }, { store }: StepDeps) => store.remove(key),
})
