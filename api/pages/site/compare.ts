import { html } from '../parts/html.ts'
import { defineSitePage } from '../parts/site.ts'
import { MEASURED, SELF_RUN } from './comparison.ts'

const DESCRIPTION = 'What you would run yourself, what is left to build around it, and when that is the better choice.'

export const comparePage = defineSitePage('/compare', (_, { config: { operator } }) => ({
  title: 'Do it yourself?',
  description: DESCRIPTION,
  content: html`<header class="intro"><h1>Should you do it yourself?</h1>
<p class="lead">The engines that are built in here are open source, and so is the service. These are the parts, and when to take which way.</p></header>
<section class="card flush"><div class="scroll" tabindex="0" role="region" aria-label="What you would run"><table class="table compare"><thead><tr><th scope="col">You need</th><th scope="col">You would run</th><th scope="col">What is left to do</th></tr></thead><tbody>${SELF_RUN.map(
    ({ need, run, left }) => html`<tr><th scope="row">${need}</th><td>${run}</td><td>${left}</td></tr>`,
  )}</tbody></table></div></section>
<section class="prose flow"><h2>Around all of them</h2>
<p>Files of strangers crash and exhaust engines. A setup for them needs a process per call with a limit on memory and time, a queue that survives a crash, retries that do not repeat the effect, storage that forgets, and limits per customer. If you charge for it, you need a ledger that balances. That is most of the code of this service; the calls to the engines are the smaller part.</p>
<h2>When this service is the wrong choice</h2>
<ul><li><strong>One operation, in bulk, in your own process.</strong> If all you do is resize a million images a day, use sharp or libvips directly. The figures below show what a call adds.</li>
<li><strong>Answers within a few milliseconds of your user.</strong> A call crosses the network. Work that belongs into the request of a page is better done where that page is made, or ahead of it.</li>
<li><strong>Files that may not leave your network.</strong> Run the service there, or the engines.</li>
<li><strong>Large media.</strong> A file has at most 50 MiB unless the operator allows more, and an hour of video. A studio needs a transcoding farm.</li>
<li><strong>A contract on uptime.</strong> ${operator.name ?? 'Whoever runs this installation'} decides what is promised; ask before you depend on it. The software promises nothing.</li>
<li><strong>Qualified signatures, legal advice, tax advice.</strong> The calls compute and record. They do not replace a trust service or a lawyer.</li></ul>
<h2>When it is the right one</h2>
<ul><li>You need many small things now and then, and none of them is your product.</li><li>An agent decides at run time what it needs, and must not spend more than you allow.</li><li>You handle files of strangers and do not want their files in your processes.</li><li>You need a price for each piece of work, to pass on or to limit.</li></ul>
<h2>What a call adds</h2>
<p>${MEASURED.note} Measured on ${MEASURED.day} on ${MEASURED.machine}.</p></section>
<section class="card flush"><div class="scroll" tabindex="0" role="region" aria-label="Measured"><table class="table compare"><thead><tr><th scope="col">Work</th><th scope="col" class="num">Engine alone</th><th scope="col" class="num">By a call</th></tr></thead><tbody>${MEASURED.rows.map(
    ({ work, alone, call }) =>
      html`<tr><th scope="row">${work}</th><td class="num" data-label="Engine alone">${alone} ${MEASURED.unit}</td><td class="num" data-label="By a call">${call} ${MEASURED.unit}</td></tr>`,
  )}</tbody></table></div></section>
<section class="prose flow"><p>A figure of one machine says little about yours: <code>npm run bench -- P8 P9 P22</code> measures it there.</p></section>`,
}))
