import { Type } from 'typebox'
import { Problem } from '#kit'
import { PROBLEM_FORM } from '../../../../../tasks/products/language/index.ts'
import { route } from '../../../../route.ts'
import { ListedModel, listModels } from '../../models.ts'

export default route({
  at: 'GET /v1/models/*',
  summary: 'Describe one model that a call can name.',
  keywords: 'openai retrieve model, does a model exist, price of one model',
  auth: ['none'],
  tool: false,
  params: Type.Object({ '*': Type.String() }),
  reply: { status: 200, schema: ListedModel },
  errors: ['MODEL_NOT_FOUND'],
  problemForm: PROBLEM_FORM,

  handle({ params: { '*': id } }, { offers }) {
    const models = listModels(offers)
    const found = models.find(model => model.id === id)
    if (!found) throw new Problem('MODEL_NOT_FOUND', { field: 'model', models: models.map(model => model.id) })
    return found
  },
})
