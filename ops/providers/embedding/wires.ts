import type { EmbeddingRequest } from './contract.ts'
import type { EmbeddingProvider } from './settings.ts'

/** How one provider is asked for vectors. */
interface Wire {
  /** Of one call. */
  maxTexts: number
  authorize(apiKey: string): Record<string, string>
  write(request: EmbeddingRequest): { path: string; json: object }
  /** What it gives for each text, in their order. */
  readVectors(answer: unknown): unknown[]
  /** What it says that it has counted. */
  readTokens(answer: unknown): unknown
}

const bearer = (apiKey: string) => ({ authorization: `Bearer ${apiKey}` })

interface EmbeddingList {
  data?: { index?: number; embedding?: unknown }[]
  usage?: { prompt_tokens?: number; total_tokens?: number }
}

function readList(answer: unknown): unknown[] {
  const { data } = (answer ?? {}) as EmbeddingList
  const list = Array.isArray(data) ? data.toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0)) : []
  return list.map(({ embedding }) => embedding)
}

/** Embeddings as OpenAI defines them, which Ollama, vLLM, TEI, LM Studio and LiteLLM serve too. */
const openai: Wire = {
  // Servers of one's own take no more in one call, and a call that is repeated repeats no more.
  maxTexts: 32,
  authorize: bearer,
  write: ({ model, texts, dimensions, user }) => ({
    path: '/embeddings',
    json: {
      ...{ model, input: texts, encoding_format: 'float' },
      ...(dimensions !== undefined && { dimensions }),
      ...(user !== undefined && { user }),
    },
  }),
  readVectors: readList,
  readTokens: answer => (answer as EmbeddingList).usage?.prompt_tokens,
}

const voyage: Wire = {
  maxTexts: 128,
  authorize: bearer,
  write: ({ model, texts, as, dimensions }) => ({
    path: '/embeddings',
    json: {
      ...{ model, input: texts, input_type: as === 'query' ? 'query' : 'document', truncation: false },
      ...(dimensions !== undefined && { output_dimension: dimensions }),
    },
  }),
  readVectors: readList,
  readTokens: answer => (answer as EmbeddingList).usage?.total_tokens,
}

interface CohereAnswer {
  embeddings?: { float?: unknown }
  meta?: { billed_units?: { input_tokens?: number } }
}

const cohere: Wire = {
  maxTexts: 96,
  authorize: bearer,
  write: ({ model, texts, as, dimensions }) => ({
    path: '/embed',
    json: {
      ...{ model, texts, input_type: as === 'query' ? 'search_query' : 'search_document' },
      ...{ embedding_types: ['float'], truncate: 'NONE' },
      ...(dimensions !== undefined && { output_dimension: dimensions }),
    },
  }),
  readVectors(answer) {
    const { float } = (answer as CohereAnswer | null)?.embeddings ?? {}
    return Array.isArray(float) ? float : []
  },
  readTokens: answer => (answer as CohereAnswer).meta?.billed_units?.input_tokens,
}

interface GeminiAnswer {
  embeddings?: { values?: unknown }[]
  usageMetadata?: { promptTokenCount?: number }
}

const gemini: Wire = {
  maxTexts: 100,
  authorize: apiKey => ({ 'x-goog-api-key': apiKey }),
  write({ model, texts, as, dimensions }) {
    const name = `models/${model.replace(/^models\//, '')}`
    const taskType = as === 'query' ? 'RETRIEVAL_QUERY' : 'RETRIEVAL_DOCUMENT'
    const requests = texts.map(text => ({
      ...{ model: name, content: { parts: [{ text }] }, taskType },
      ...(dimensions !== undefined && { outputDimensionality: dimensions }),
    }))
    return { path: `/${name}:batchEmbedContents`, json: { requests } }
  },
  readVectors(answer) {
    const { embeddings } = (answer ?? {}) as GeminiAnswer
    return Array.isArray(embeddings) ? embeddings.map(({ values }) => values) : []
  },
  readTokens: answer => (answer as GeminiAnswer).usageMetadata?.promptTokenCount,
}

export const WIRES: Readonly<Record<EmbeddingProvider, Wire>> = { openai, cohere, voyage, gemini }
