import { expect, test } from 'vitest'
import { findSlowEngines } from './support/house/engine-imports.ts'
import { findProductCycles } from './support/house/import-cycles.ts'
import { findForbiddenImports } from './support/house/import-rules.ts'

/** A planted import of each kind that is forbidden, and those that are allowed. */
const bad = (path: string, text: string) => new Map([[path, text]])

test.each([
  ['tasks/pdf/turn.ts', "import { readFile } from 'node:fs/promises'", 'a task may do no I/O'],
  ['tasks/pdf/turn.ts', "import { x } from 'pdf-lib'", 'no package except typebox'],
  ['tasks/pdf/turn.ts', "import { x } from '../image/schema.ts'", 'its own folder'],
  ['tasks/pdf/turn.ts', "import { x } from './merge/plan.ts'", 'its own folder'],
  ['tasks/pdf/turn.ts', "import {\n  hold,\n} from '../../sql/ledger.ts'", 'tasks may not import sql'],
  ['tasks/kit/money.ts', "export { x } from '../pdf/schema.ts'", 'kit may not import tasks'],
  ['pools/inspect/probe.ts', "import { x } from '../../sql/job.ts'", 'pools may not import sql'],
  ['pools/inspect/probe.ts', "import sharp from 'sharp'", 'only pools/tools may import an engine'],
  ['workers/main.ts', "const x = await import('../api/server.ts')", 'workers may not import api'],
  ['tasks/formats/pdf/plan.ts', "import { x } from '../../pdf/schema.ts'", 'formats may not import tasks'],
  ['tasks/formats/pdf/plan.ts', "import { x } from 'pdf-lib'", 'listed pure packages'],
  ['tasks/formats/pdf/plan.ts', "import { readFile } from 'node:fs'", 'no I/O'],
  ['ops/providers/mail/smtp.ts', "import { x } from '../../../sql/db.ts'", 'providers may not import sql'],
  ['api/server.ts', "import { x } from '../pools/threads/pool.ts'", 'api may not import pools'],
  ['api/server.ts', "const x = require('sharp')", 'only pools/tools may import an engine'],
  ['sql/job.ts', "import { run } from 'graphile-worker'", 'only sql/migrate.ts may import it'],
  ['tasks/pdf/turn.ts', "import { products } from '../products/index.ts'", 'tasks may not import products'],
  ['tasks/products/mailbox/product.ts', "import { x } from '../../pdf/schema.ts'", 'products may not import tasks'],
  ['tasks/products/mailbox/terms.ts', "import { readFile } from 'node:fs'", 'no I/O'],
  ['ops/config.ts', "import { x } from '../sql/db.ts'", 'configuration may not import sql'],
  ['pools/tools/sharp/tool.ts', "import fastify from 'fastify'", 'only api may import fastify'],
  [
    'api/intake/validation/aliases.ts',
    "import { x } from '../body/json.ts'",
    'validation may not import the stage body',
  ],
  ['api/intake/reply/send.ts', "import { x } from '../body/json.ts'", 'reply may not import the stage body'],
  ['api/intake/body/json.ts', "import { x } from '../x402/offers.ts'", 'body may not import the stage x402'],
  ['api/intake/files/limits.ts', "import { x } from '../x402/offers.ts'", 'files may not import the stage x402'],
  ['api/intake/identity/caller.ts', "import { x } from '../files/limits.ts'", 'may not import the stage files'],
  ['api/intake/x402/offers.ts', "import { x } from '../run.ts'", 'x402 may not import a step of the call'],
  ['api/intake/audit/write.ts', "import { x } from '../body/json.ts'", 'api/intake/audit is no stage'],
  ['api/pages/keys.ts', "import { x } from './jobs/table.ts'", 'may import api/pages/jobs, besides'],
  ['api/pages/jobs/list.ts', "import { x } from '../keys.ts'", 'may import api/pages, besides'],
  ['api/pages/parts/layout.ts', "import { x } from '../jobs/table.ts'", 'may import api/pages/jobs, besides'],
  ['api/routes/jobs/list.ts', "import { x } from '../../pages/jobs/table.ts'", 'may import api/pages/jobs, besides'],
  ['api/mcp/handler.ts', "import { x } from '../pages/keys.ts'", 'may import api/pages, besides'],
  [
    'api/products/webhook/routes/list.ts',
    "import { x } from '../pages/list.ts'",
    'api/products/webhook/pages, besides',
  ],
  ['api/products/webhook/pages/list.ts', "import { x } from '../../../pages/keys.ts'", 'may import api/pages, besides'],
])('imports: in %s, %s is refused', (path, code, message) => {
  expect(findForbiddenImports(bad(path, code))).toEqual([expect.stringContaining(message)])
})

test.each([
  ['tasks/pdf/turn.ts', "import type { Tools } from '../../pools/tools/index.ts'"],
  [
    'tasks/pdf/turn.ts',
    "import { createHash } from 'node:crypto'\nimport { x } from './schema.ts'\nimport { y } from './turn/plan.ts'",
  ],
  ['tasks/pdf/turn.ts', "// import { x } from 'pg'\nconst count = 1"],
  ['pools/tools/sharp/tool.ts', "import sharp from 'sharp'\nimport { run } from '../../programs/run.ts'"],
  ['test/pools/probe.test.ts', "import sharp from 'sharp'"],
  ['api/intake/run.ts', "import { x } from './x402/offers.ts'\nimport { y } from './fund.ts'"],
  ['api/intake/reply/send.ts', "import { x } from './sink.ts'\nimport { y } from '../x402/payment-headers.ts'"],
  ['api/pages/register.ts', "import { x } from './jobs/list.ts'"],
  [
    'api/products/webhook/pages/list.ts',
    "import { x } from '../../../pages/parts/html.ts'\nimport { y } from './details.ts'",
  ],
])('imports: in %s, %s is allowed', (path, code) => {
  expect(findForbiddenImports(bad(path, code))).toEqual([])
})

test.each([
  ['api/products/mailbox/plan.ts', '../storage/content.ts'],
  ['sql/mailbox/messages.ts', '../storage/content.ts'],
  ['tasks/products/mailbox/product.ts', '../storage/product.ts'],
])('imports: in %s, %s of another product is refused, and its index.ts is allowed', (path, target) => {
  const product = (name: string) => [`tasks/products/${name}/product.ts`, ''] as const
  const files = (specifier: string) =>
    new Map([product('mailbox'), product('storage'), [path, `import { x } from '${specifier}'`]])
  expect(findForbiddenImports(files(target))).toEqual([expect.stringContaining('only its index.ts')])
  expect(findForbiddenImports(files(target.replace(/[^/]+$/, 'index.ts')))).toEqual([])
})

test.each([
  ['api/intake/run.ts', '../products/storage/index.ts'],
  ['api/intake/identity/authenticate.ts', '../../../sql/storage/index.ts'],
  ['workers/perform.ts', './products/storage/open.ts'],
  ['api/main.ts', './products/storage/index.ts'],
  ['api/routes/system/keys.ts', '../../../ops/products/storage/keys.ts'],
  ['api/pages/storage/list.ts', '../../products/storage/index.ts'],
  ['ops/cli/price.ts', '../../api/products/storage/index.ts'],
  ['sql/object.ts', './storage/index.ts'],
])('imports: %s may not know a product, also not by %s', (path, target) => {
  const files = bad(path, `import { x } from '${target}'`).set('tasks/products/storage/product.ts', '')
  expect(findForbiddenImports(files)).toEqual([expect.stringContaining('may not know the product storage')])
})

test.each(["import { x } from '../../api/products/mailbox/index.ts'", "import type { x } from '../mailbox/index.ts'"])(
  'products that use each other are found: %s',
  code => {
    const product = (name: string) => [`tasks/products/${name}/product.ts`, ''] as const
    const [mailbox, storage, lease] = [product('mailbox'), product('storage'), product('lease')]
    const uses = ['api/products/mailbox/index.ts', "import { y } from '../lease/index.ts'"] as const
    const ofLease = ['api/products/lease/index.ts', "import { z } from '../../../sql/storage/index.ts'"] as const
    const used = ['sql/storage/index.ts', code] as const
    const others = [['sql/mailbox/index.ts', '']] as const
    const files = new Map<string, string>([mailbox, storage, lease, uses, ofLease, ...others])
    expect(findProductCycles(files)).toEqual([])
    expect(findProductCycles(files.set(...used))).toEqual([['lease', 'mailbox', 'storage']])
  },
)

test.each([
  ['pools/tools/libpdf/verify.ts', "import { Type } from 'typebox'", 'loads typebox by pools/tools/libpdf/verify.ts'],
  ['pools/tools/libpdf/verify.ts', "import { Check } from 'typebox/schema'", 'loads typebox/schema by pools/tools'],
  ['pools/tools/libpdf/verify.ts', "import { init } from 'echarts'", 'loads echarts by pools/tools/libpdf/verify.ts'],
  ['tasks/kit/engine.ts', "import { Type } from 'typebox'", 'loads typebox by tasks/kit/engine.ts'],
])('imports: in %s, which an engine loads, %s is refused', (path, code, message) => {
  const engine = [
    'pools/tools/libpdf/engine.ts',
    "import { Problem } from '#kit'\nimport { x } from './verify.ts'",
  ] as const
  const kit = ['tasks/kit/index.ts', "import { Type } from 'typebox'"] as const
  const files = new Map<string, string>([engine, kit])
  expect(findSlowEngines(files)).toEqual([])
  expect(findSlowEngines(files.set(path, code))).toEqual([expect.stringContaining(message)])
})
