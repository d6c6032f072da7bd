import { Type } from 'typebox'
import { OptionalText, OptionalUrl } from './kinds.ts'

export const EMBEDDING = {
  EMBEDDING_URL: OptionalUrl({
    displayDefault: 'no provider: texts are compared by their wording',
    description:
      'Address of an API with the embeddings of OpenAI, with its version, such as `http://127.0.0.1:11434/v1` for Ollama. Texts of new vector batons are then compared by their meaning; only the api calls it.',
  }),
  EMBEDDING_MODEL: OptionalText({
    expects: 'the name of a model that does not begin with `svc-`',
    pattern: '^(?!svc-|own$|auto$)[A-Za-z0-9._:/@-]{1,64}$',
    displayDefault: 'none',
    description: 'Model that is asked for. Batons remember it, and are never given vectors of another one.',
  }),
  EMBEDDING_DIMENSIONS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 4_096,
      displayDefault: "the model's own",
      description: 'Dimensions that the model is asked for, if it can have several.',
    }),
  ),
  EMBEDDING_API_KEY: OptionalText({ isSecret: true, displayDefault: 'none', description: 'Key of that API.' }),
}
