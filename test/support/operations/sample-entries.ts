import { Type } from 'typebox'
import type { Entry } from '#kit'
import { Choice, define, FileInput, FileManifest, FileOutput, PageRanges, perCall, perPage, Secret } from '#kit'

const rotate = define({
  summary: 'Turn pages of a PDF clockwise.',
  price: perPage('0.001'),
  uses: [],
  input: Type.Object({
    file: FileInput({ accept: ['application/pdf'], refuse: 'PDF_PARSE_FAILED', probe: 'pdf' }),
    degrees: Choice(['90', '180', '270']),
    pages: PageRanges({ default: 'all' }),
    password: Type.Optional(Secret({ maxLength: 127 })),
  }),
  output: Type.Object({ output: FileOutput('application/pdf'), pages: Type.Integer() }),
  errors: ['PDF_PARSE_FAILED', 'BAD_RANGE'],
  examples: [{ title: 'Turn the first page', input: { file: 'sample:two-pages.pdf', degrees: '90', pages: '1' } }],
  run: () => {
    throw new Error('must not run in this test')
  },
})

const split = define({
  summary: 'Cut a PDF into several, or join several.',
  price: perCall('0.002'),
  uses: [],
  input: Type.Unsafe({
    type: 'object',
    oneOf: [
      Type.Object({ action: Type.Literal('join'), files: Type.Array(FileInput(), { minItems: 2 }) }),
      Type.Object({ action: Type.Literal('cut'), file: FileInput(), at: Type.Integer({ minimum: 1, default: 1 }) }),
    ],
    discriminator: { propertyName: 'action' },
  }),
  output: Type.Object({ files: FileManifest('application/pdf', { pages: Type.Integer() }) }),
  errors: ['TOO_MANY_OUTPUTS'],
  examples: [
    {
      title: 'Join two',
      input: { action: 'join', files: ['sample:two-pages.pdf', { text: 'x' }] },
      answer: { files: [] },
    },
  ],
  run: () => {
    throw new Error('must not run in this test')
  },
})

/** A catalogue with an entry of every kind, to build documents from. */
export function sampleEntries(): Entry[] {
  return [
    operationEntry('pdf.rotate', rotate, ['qpdf']),
    operationEntry('pdf.pages', split, []),
    {
      ...routeEntry('jobs.show', 'GET', '/v1/jobs/{id}'),
      params: Type.Object({ id: Type.String({ format: 'uuid', description: 'The ticket.' }) }),
      query: Type.Object({ wait: Type.Integer({ minimum: 0, maximum: 60, default: 0 }) }),
      errors: ['NOT_FOUND'],
    },
    { ...routeEntry('outputs.show', 'GET', '/v1/outputs/*'), params: Type.Object({ '*': Type.String() }) },
    { ...routeEntry('system.health', 'GET', '/health'), auth: ['none'] },
    {
      ...routeEntry('cputools.upload-url', 'POST', '/v1/cputools/upload-url'),
      body: Type.Object({ ext: Type.Optional(Type.String({ maxLength: 12 })) }),
      reply: {
        status: 201,
        schema: Type.Object({ url: Type.String(), expiresAt: Type.Unsafe({ type: ['string', 'null'] }) }),
      },
      examples: [{ title: 'Ask', input: { ext: 'pdf' } }],
    },
  ]
}

function operationEntry(name: string, operation: ReturnType<typeof define>, tools: readonly string[]): Entry {
  const [family, verb] = name.split('.') as [string, string]
  const { summary, description, price, input, output, errors, examples } = operation
  return {
    kind: 'operation',
    name,
    family,
    method: 'POST',
    path: `/v1/${family}/${verb}`,
    summary,
    description,
    auth: ['key'],
    body: input,
    reply: { status: 200, schema: output },
    price,
    tools,
    errors,
    examples,
  }
}

function routeEntry(name: string, method: Entry['method'], path: string): Entry {
  const [family] = name.split('.') as [string]
  return {
    kind: 'route',
    name,
    family,
    method,
    path,
    summary: `What ${name} does.`,
    auth: ['key'],
    reply: { status: 200, schema: Type.Object({ id: Type.String() }) },
    tools: [],
    errors: [],
    examples: [],
  }
}
