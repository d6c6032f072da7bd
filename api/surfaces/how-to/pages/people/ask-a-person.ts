import { answerField, howTo } from '../../declaration.ts'

export default howTo({
  title: 'Ask a person before you go on',
  lead: 'An agent asks for an approval, a choice or a text. People answer on a page without an account, by mail or in a chat, and the agent waits.',
  keywords: 'human in the loop, approval, ask, confirm, slack, agent, question',
  steps: [
    {
      call: 'bridge.create-ask',
      note: 'The question. Without anybody in `to` there is a link for you to pass on.',
      input: { question: 'May I delete the 3 backups of May?', proposal: { action: 'delete', backups: 3 } },
      as: 'ask',
    },
    {
      call: 'bridge.reply',
      note: 'What the page behind the link does when somebody presses Approve.',
      input: { token: answerField('ask', 'replyUrls.0.url', 0), decision: 'approved', comment: 'Go ahead.' },
    },
    {
      call: 'bridge.wait-for-ask',
      note: 'The agent waits for the outcome.',
      input: { ask: answerField('ask', 'id'), timeoutSec: 30 },
    },
  ],
  pitfalls: [
    'An ask that nobody answers expires. Silence is never an approval, unless you set `defaultReply`.',
    'Links are for one person each. Whoever has one can answer once.',
    'Wait in a loop while `pollAfterMs` is a number, or register a webhook for `bridge.ask.replied`.',
    'Mail, SMS and chats need a provider of the operator; without one the call answers `PROVIDER_NOT_CONFIGURED` and costs nothing.',
  ],
})
