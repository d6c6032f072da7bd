import type { WorkerProduct } from '../../context.ts'
import { loadOwnList } from './own-lists.ts'

const screening: WorkerProduct = { endings: { 'screening.load-list': loadOwnList } }

export default screening
