import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadConfig, Variables } from '../../ops/config.ts'
import { freshFolder } from '../support/machine/folder.ts'

test('needs no variable', async () => {
  await using folder = await freshFolder()
  const dataDir = join(folder.path, 'data')
  const config = loadConfig({ DATA_DIR: dataDir, PORT: '' })
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, adminPort: 8081, workerAdminPort: 8082, dataDir })
  expect(config).toMatchObject({ publicUrl: 'http://127.0.0.1:8080', lanes: ['thread', 'native', 'program', 'remote'] })
  expect(config.databaseUrl).toBeUndefined()
  expect(config.s3).toBeUndefined()
  expect(loadConfig({ DATA_DIR: dataDir }).secret).toBe(config.secret)
  expect(Object.isFrozen(config)).toBe(true)
})

test('reads the variables that are set', () => {
  const config = loadConfig({
    HOST: '::1',
    PORT: '9000',
    ADMIN_PORT: '0',
    SECRET: 'a secret of the test, long enough',
    DATABASE_URL: 'postgres://somebody@db/coinop',
    S3_BUCKET: 'files',
    S3_ENDPOINT: 'http://127.0.0.1:9001',
    S3_FORCE_PATH_STYLE: 'true',
    LANES: 'program, remote',
    TRUST_PROXY: '10.0.0.0/8,127.0.0.1,uniquelocal',
    NODE_ENV: 'production',
  })
  expect(config).toMatchObject({
    publicUrl: 'http://[::1]:9000',
    adminPort: 0,
    workerAdminPort: 9002,
    isProduction: true,
  })
  expect(config).toMatchObject({ lanes: ['program', 'remote'], trustProxy: ['10.0.0.0/8', '127.0.0.1', 'uniquelocal'] })
  expect(config.s3).toMatchObject({ bucket: 'files', region: 'us-east-1', forcePathStyle: true })
})

const PAID = { X402_NETWORK: 'base', X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' }

test('reads the x402 variables', () => {
  const factories = ['0x0BA5ED0c6AA8c49038F819E587E2633c4A9F428a', '0xBA5ED110eFDBa3D005bfC882d75358ACBbB85842']
  const config = loadConfig({
    ...PAID,
    SECRET: 'a secret of the test, long enough',
    X402_FACILITATOR_URL: 'https://facilitator.example',
    X402_ERC6492_FACTORIES: factories.join(', '),
  })
  expect(config.hasDevChain).toBe(false)
  expect(config.x402).toMatchObject({ network: 'base', payTo: PAID.X402_PAY_TO, factories })
  expect(config.x402?.facilitator).toEqual({ url: 'https://facilitator.example', token: undefined })
})

const MODELS = { LLM_PROVIDER: 'openai', LLM_VALUE: 'medium 1 5 0.1', LLM_BUDGET: 'small 0.2 1' }

test('reads the language models', () => {
  const env = { ...MODELS, SECRET: 'a secret of the test, long enough', LLM_API_KEY: 'key', LLM_STALL_SECONDS: '12.5' }
  const { llm } = loadConfig(env)
  expect(llm).toMatchObject({ stallMs: 12_500 })
  expect(llm).toMatchObject({ provider: 'openai', url: 'https://api.openai.com/v1', apiKey: 'key', markupPct: 20 })
  const value = { model: 'medium', input: 1, output: 5, cachedInput: 0.1 }
  expect(llm!.tiers).toEqual({
    budget: { model: 'small', input: 0.2, output: 1, cachedInput: 0.2 },
    ...{ value, best: value },
  })
})

test('reads the address of a region, and names of models with colons and slashes', () => {
  const url = 'https://bedrock-runtime.eu-central-1.amazonaws.com'
  const LLM_VALUE = 'eu.amazon.nova-lite-v1:0 0.06 0.24; arn:aws:bedrock:eu-central-1:1:inference-profile/x 1 2'
  const { llm } = loadConfig({
    ...{ SECRET: 'a secret of the test, long enough', LLM_PROVIDER: 'bedrock', LLM_URL: `${url}/`, LLM_VALUE },
  })
  expect(llm).toMatchObject({ url, tiers: { value: { model: 'eu.amazon.nova-lite-v1:0' } } })
  expect(llm!.fallbacks!.value[0]!.model).toBe('arn:aws:bedrock:eu-central-1:1:inference-profile/x')
})

test.each([
  [{ ...MODELS, LLM_PROVIDER: '' }, /^LLM_PROVIDER must be set when LLM_BUDGET is set/],
  [{ LLM_PROVIDER: 'anthropic' }, /^LLM_VALUE must be set/],
  [{ ...MODELS, LLM_PROVIDER: 'bedrock' }, /^LLM_URL must be the address of a region/],
  [{ ...MODELS, LLM_VALUE: 'medium' }, /^LLM_VALUE must be a model and two or three prices/],
  [
    { ...MODELS, LLM_BUDGET: '', LLM_VALUE: 'medium 3 15' },
    /^LLM_BUDGET must name a model whose input costs at most 1.5 USD/,
  ],
  [{ ...MODELS, LLM_MARKUP_PCT: '400' }, /^LLM_VALUE must name a model whose input costs at most 4 USD/],
  [{ ...MODELS, LLM_VALUE: 'medium 1 5 2' }, /^LLM_VALUE must not have a higher price for cached input/],
])('refuses the language models of %o', (env, message) => {
  expect(() => loadConfig({ SECRET: 'a secret of the test, long enough', ...env })).toThrow(message)
})

test.each([
  [{ PORT: 'http' }, 'PORT must be a whole number from 1 to 65535, not "http".'],
  [{ PORT: '70000' }, 'PORT must be a whole number from 1 to 65535, not "70000".'],
  [{ PORT: '80.5' }, 'PORT must be a whole number from 1 to 65535, not "80.5".'],
  [{ LLM_STALL_SECONDS: 'soon' }, 'LLM_STALL_SECONDS must be a number from 0.1 to 110, not "soon".'],
  [{ PUBLIC_URL: 'example.org' }, 'PUBLIC_URL must be an http or https address, not "example.org".'],
  [{ LOG_LEVEL: 'loud' }, /^LOG_LEVEL must be one of trace, .*, not "loud"\.$/],
  [{ SANDBOX: 'on' }, 'SANDBOX must be one of auto, off, not "on".'],
  [{ LANES: 'thread,fast' }, /^LANES must be some of thread, .*, not "thread,fast"\.$/],
  [{ LANES: ',' }, /^LANES must be some of/],
  [{ TRUST_PROXY: '10.0.0.0/8,true' }, 'TRUST_PROXY must be IP addresses or networks, not "true".'],
  [{ S3_FORCE_PATH_STYLE: 'perhaps' }, 'S3_FORCE_PATH_STYLE must be true or false, not "perhaps".'],
  [{ S3_ENDPOINT: 'http://s3' }, 'S3_BUCKET must be set when another S3 variable is set.'],
  [{ S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'k' }, 'S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together.'],
  [{ X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' }, 'X402_NETWORK must be set when X402_PAY_TO is set.'],
  [{ X402_NETWORK: 'base' }, 'X402_PAY_TO must be set when X402_NETWORK is set.'],
  [{ X402_NETWORK: 'ethereum' }, 'X402_NETWORK must be one of base, base-sepolia, dev, not "ethereum".'],
  [{ ...PAID, X402_NETWORK: 'dev' }, 'X402_NETWORK must be base or base-sepolia unless DEV_CHAIN'],
  [{ ...PAID, DEV_CHAIN: '1' }, 'DEV_CHAIN must be off when X402_NETWORK is base.'],
  [{ ...PAID, X402_PAY_TO: '0x2096' }, 'X402_PAY_TO must be an address of 0x and 40 hex digits, not "0x2096".'],
  [{ ...PAID, X402_ERC6492_FACTORIES: '0x12, 0x34' }, 'X402_ERC6492_FACTORIES must be addresses separated by commas'],
  [{ DATA_DIR: '/dev/null/data' }, /^DATA_DIR must be a folder this user may write to/],
])('refuses %o in one sentence', (env, sentence) => {
  expect(() => loadConfig({ SECRET: 'DATA_DIR' in env ? '' : 'a secret of the test, long enough', ...env })).toThrow(
    sentence,
  )
})

test.each([{ SECRET: 'too short' }, { X402_SETTLER_KEY: '0xhunter2' }, { DATABASE_URL: 'mysql://root:hunter2@db/x' }])(
  'never repeats the value of a secret',
  env => {
    const [[name, value]] = Object.entries(env) as [[string, string]]
    const sentence = (() => {
      try {
        return loadConfig(env)
      } catch (error) {
        return (error as Error).message
      }
    })()
    expect(sentence).toContain(`${name} must be `)
    expect(sentence).not.toContain(value)
  },
)

test('describes each variable in one sentence', () => {
  for (const [name, schema] of Object.entries(Variables.properties)) {
    const options = schema as { description?: string; default?: unknown; displayDefault?: string }
    expect(options.description, name).toMatch(/^[A-Z`].*\.$/)
    expect(options.default ?? options.displayDefault, name).toBeDefined()
  }
})

test('reads who transcribes', () => {
  const SECRET = 'a secret of the test, long enough'
  const read = (env: Record<string, string>) => loadConfig({ SECRET, ...env }).transcription
  expect(read({})).toBeUndefined()
  expect(read({ TRANSCRIBE_PROVIDER: 'openai', TRANSCRIBE_API_KEY: 'key' })).toEqual({
    ...{ provider: 'openai', url: 'https://api.openai.com/v1', apiKey: 'key', model: 'whisper-1' },
  })
  const local = { TRANSCRIBE_PROVIDER: 'whisper.cpp', TRANSCRIBE_URL: 'http://127.0.0.1:8081' }
  expect(read(local)).toMatchObject({ provider: 'whisper.cpp', url: 'http://127.0.0.1:8081' })
  expect(() => read({ TRANSCRIBE_API_KEY: 'key' })).toThrow(/^TRANSCRIBE_PROVIDER must be set/)
  expect(() => read({ TRANSCRIBE_PROVIDER: 'whisper.cpp' })).toThrow(/^TRANSCRIBE_URL must be set/)
  expect(() => read({ ...local, TRANSCRIBE_MODEL: 'large' })).toThrow(/^TRANSCRIBE_MODEL must not be set/)
})

test('reads who reads documents', () => {
  const SECRET = 'a secret of the test, long enough'
  const read = (env: Record<string, string>) => loadConfig({ SECRET, ...env }).documents
  expect(read({})).toMatchObject({ order: expect.arrayContaining(['local']), textract: undefined })
  const textract = { TEXTRACT_REGION: 'eu-west-1', TEXTRACT_ACCESS_KEY_ID: 'id', TEXTRACT_SECRET_ACCESS_KEY: 'key' }
  expect(read({ ...textract, DOCUMENT_PROVIDERS: 'local, textract' })).toMatchObject({
    order: ['local', 'textract'],
    textract: { region: 'eu-west-1', credentials: { accessKeyId: 'id', secretAccessKey: 'key' } },
  })
  expect(() => read({ TEXTRACT_ACCESS_KEY_ID: 'id' })).toThrow(/^TEXTRACT_REGION must be set/)
  expect(() => read({ TEXTRACT_REGION: 'eu-west-1', TEXTRACT_ACCESS_KEY_ID: 'id' })).toThrow(/together/)
  const azure = { AZURE_DOCUMENT_URL: 'https://documents.example', AZURE_DOCUMENT_KEY: 'key' }
  expect(read(azure).azure).toEqual({ url: 'https://documents.example', key: 'key' })
  expect(() => read({ AZURE_DOCUMENT_KEY: 'key' })).toThrow(/^AZURE_DOCUMENT_URL must be set/)
  const name = 'projects/p/locations/eu/processors/1'
  const google = { GOOGLE_DOCUMENT_PROCESSORS: `form=${name}, ocr=${name}`, GOOGLE_DOCUMENT_EMAIL: 'robot@example.com' }
  const privateKey = 'a\\nb'
  expect(read({ ...google, GOOGLE_DOCUMENT_PRIVATE_KEY: privateKey }).google).toMatchObject({
    ...{ account: { email: 'robot@example.com', privateKey: 'a\nb' }, processors: { form: name, ocr: name } },
  })
  expect(read(google).google).toBeUndefined()
  expect(() => read({ ...google, GOOGLE_DOCUMENT_EMAIL: '' })).toThrow(/together/)
  const wrong = { ...google, GOOGLE_DOCUMENT_PRIVATE_KEY: 'key', GOOGLE_DOCUMENT_PROCESSORS: 'form=1' }
  expect(() => read(wrong)).toThrow(/^GOOGLE_DOCUMENT_PROCESSORS must list/)
  expect(() => read({ DOCUMENT_PROVIDERS: 'abbyy' })).toThrow(/DOCUMENT_PROVIDERS/)
})

const PINECONE = { VECTOR_INDEX: 'pinecone', VECTOR_INDEX_KEY: 'key' }

test('reads the vector index', () => {
  const read = (env: object) => loadConfig({ SECRET: 'a secret of the test, long enough', ...env }).vectorIndex
  expect(read(PINECONE)).toEqual({
    ...{ kind: 'pinecone', url: 'https://api.pinecone.io', apiKey: 'key', region: 'aws/us-east-1', indexFrom: 50_000 },
  })
  expect(read({ ...PINECONE, VECTOR_INDEX_REGION: 'gcp/europe-west4' })).toMatchObject({ region: 'gcp/europe-west4' })
  expect(read({ VECTOR_INDEX: 'pgvector' })).toEqual({ kind: 'pgvector', url: undefined, indexFrom: 50_000 })
  expect(read({})).toBeUndefined()
})

test.each([
  [{ ...PINECONE, VECTOR_INDEX_KEY: '' }, /^VECTOR_INDEX is pinecone, so VECTOR_INDEX_KEY must be set/],
  [{ ...PINECONE, VECTOR_INDEX_URL: 'postgres://x/y' }, /^VECTOR_INDEX is pinecone, so VECTOR_INDEX_URL/],
  [{ ...PINECONE, VECTOR_INDEX_REGION: 'us-east-1' }, /^VECTOR_INDEX_REGION must be a cloud and a region/],
  [{ VECTOR_INDEX: 'qdrant' }, /^VECTOR_INDEX is qdrant/],
  [{ VECTOR_INDEX: 'pgvector', VECTOR_INDEX_URL: 'http://127.0.0.1:1' }, /^VECTOR_INDEX is pgvector/],
])('refuses the vector index of %o', (env, message) => {
  expect(() => loadConfig({ SECRET: 'a secret of the test, long enough', ...env })).toThrow(message)
})
