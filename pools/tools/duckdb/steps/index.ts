import { cast } from './cast.ts'
import { derive, rename } from './columns.ts'
import { profile } from './describe/profile.ts'
import { schemaInfer } from './describe/schema-infer.ts'
import { diff } from './diff.ts'
import { explode } from './explode.ts'
import { fillna } from './fill.ts'
import { groupby } from './groups.ts'
import { join } from './join.ts'
import { pivot } from './pivot.ts'
import { dropna, filter, slice, sort } from './rows.ts'
import { sample } from './sample.ts'
import { sql } from './sql.ts'
import { union } from './unite.ts'
import { validate } from './validate.ts'

/** What can be done with tables inside of one database. */
export const STEPS = {
  cast,
  derive,
  diff,
  dropna,
  explode,
  fillna,
  filter,
  groupby,
  join,
  pivot,
  profile,
  rename,
  sample,
  'schema-infer': schemaInfer,
  slice,
  sort,
  sql,
  union,
  validate,
} as const
