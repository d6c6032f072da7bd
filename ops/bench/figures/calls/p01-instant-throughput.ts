import { buildHashCall } from '../../calls.ts'
import { oneCallFigure } from './one-call.ts'

export default oneCallFigure({
  id: 'P1',
  title: 'lane I, utils/hash of 1 KB, 64 clients, over Fastify with one UPDATE and commit',
  workers: 0,
  buildCall: buildHashCall,
  label: 'lane I, 64 clients',
  unit: 'calls/s',
  clients: 64,
  goal: { atLeast: 1 },
})
