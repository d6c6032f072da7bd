import { Type } from 'typebox'
import { Choice } from '#kit'
import { PROBLEM_FORM } from '../../../../../tasks/products/language/index.ts'
import { route } from '../../../../route.ts'
import { ListedModel, listModels } from '../../models.ts'

export default route({
  at: 'GET /v1/models',
  summary: 'List the models that a call can name, with their prices.',
  keywords: 'openai models list, which models, available language models, embedding models, prices of tokens',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({ object: Choice(['list']), data: Type.Array(ListedModel) }),
  },
  errors: [],
  problemForm: PROBLEM_FORM,
  handle: (_asked, { offers }) => ({ object: 'list', data: listModels(offers) }),
})
