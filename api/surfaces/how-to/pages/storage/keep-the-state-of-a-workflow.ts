import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Keep the state of a workflow between runs',
  lead: 'A JSON document under a name of your choice. Each write is a new version, and two writers cannot overwrite each other unseen.',
  keywords: 'checkpoint, state, resume, workflow, agent memory, versions',
  steps: [
    {
      call: 'leases.create-checkpoint',
      note: 'The first version. A name is free again when its time is over.',
      input: { workflow_id: 'how-to-order-7', duration_seconds: 3600, body: { step: 1, done: ['fetch'] } },
      as: 'checkpoint',
    },
    {
      call: 'leases.write-checkpoint',
      note: 'The next version, only over the one that was read.',
      input: {
        workflow_id: answerField('checkpoint', 'workflow_id'),
        if_version: answerField('checkpoint', 'version'),
        body: { step: 2, done: ['fetch', 'parse'] },
      },
    },
    {
      call: 'leases.read-checkpoint',
      note: 'After a restart.',
      input: { workflow_id: answerField('checkpoint', 'workflow_id') },
    },
  ],
  pitfalls: [
    'Without `if_version` the last writer wins. With it, the other one gets `VERSION_CONFLICT` and reads again.',
    'A name that is in use is `WORKFLOW_ID_IN_USE`: write to it instead of creating it again.',
    'The last ten versions are kept; `list-versions` names them.',
    'It is gone when its time is over. Reserve as long as a run can take, as it cannot be extended.',
  ],
})
