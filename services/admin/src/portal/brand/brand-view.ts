import type { deliveryContracts } from '@receipts/contracts';
import type { ReceivedReply } from '@receipts/kernel';
import { field, postForm, problem, success, textField } from '../../pages/form-fields';
import { html, type Html } from '@receipts/html';
import { documentFrame } from '../receipt-frame';
import type { SignedIn } from '../signed-in';
import { translationsIn, type BrandDraft, type TranslationDraft } from './brand-draft';

export const brandPath = '/portal/brand';

export interface BrandView {
  readonly draft: BrandDraft;
  readonly rendering: ReceivedReply<typeof deliveryContracts.renderReceipt>['body'];
  readonly fault: string | undefined;
  readonly done: string | undefined;
}

/** An empty value is valid too. */
const colourPattern = '#[0-9A-Fa-f]{6}';
const exampleColour = '#00aa66';

/** What a picker shows while the colour is the default one. */
const pickerStart = '#1f3a5f';

/** The texts for readers of a language. */
function translationFields(texts: TranslationDraft, index: number, { language }: SignedIn): Html {
  const { t, code } = language;
  const id = (name: string) => `${name}-${index}`;
  const isNew = texts.language === '';
  return html`<details>
    <summary>${isNew ? t('brand.newLanguage') : languageName(texts.language, code)}</summary>
    ${field({ name: 'language', id: id('language'), label: t('language'), value: texts.language, hint: t('brand.languageHint') })}
    ${textField({ name: 'translated_header', id: id('header'), label: t('brand.header'), value: texts.header })}
    ${textField({ name: 'translated_footer', id: id('footer'), label: t('brand.footer'), value: texts.footer })}
    ${textField({ name: 'translated_links', id: id('links'), label: t('brand.links'), value: texts.links, hint: t('brand.translatedLinksHint') })}
  </details>`;
}

/** The name of a language in the reader's language; the tag if it is not valid. */
function languageName(tag: string, reader: string): string {
  try {
    return new Intl.DisplayNames(reader, { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

const newTranslation: TranslationDraft = { language: '', header: '', footer: '', links: '' };

function settingsForm(draft: BrandDraft, who: SignedIn): Html {
  const { t } = who.language;
  const inside = html`${field({ name: 'name', label: t('brand.name'), value: draft.name, hint: t('brand.nameHint', { name: who.retailer.name }) })}
    ${field({ name: 'logo', label: t('brand.logo'), type: 'url', value: draft.logo, hint: t('brand.logoHint') })}
    ${/^https?:/.test(draft.logo) && html`<img class="logo" src="${draft.logo}" alt="${t('brand.logoShown')}" />`}
    ${field({ name: 'file', label: t('brand.logoFile'), type: 'file', hint: t('brand.logoFileHint') })}
    ${field({
      name: 'colour',
      label: t('brand.colour'),
      value: draft.colour,
      pattern: colourPattern,
      hint: t('brand.colourHint', { example: exampleColour }),
    })}
    <input
      type="color"
      data-picks="colour"
      value="${draft.colour || pickerStart}"
      aria-label="${t('brand.pickColour')}"
      hidden
    />
    ${textField({ name: 'header', label: t('brand.header'), value: draft.header })}
    ${textField({ name: 'footer', label: t('brand.footer'), value: draft.footer })}
    ${textField({ name: 'links', label: t('brand.links'), value: draft.links, hint: t('brand.linksHint') })}
    <h2>${t('brand.translations')}</h2>
    ${[...translationsIn(draft).filter(({ language }) => language !== ''), newTranslation].map(
      (texts, index) => translationFields(texts, index, who),
    )}
    <div class="actions">
      <button name="action" value="save">${t('save')}</button>
      <button class="quiet" name="action" value="run">${t('brand.preview')}</button>
      ${
        draft.logo !== '' &&
        html`<button class="quiet" name="action" value="remove_logo">${t('brand.removeLogo')}</button>`
      }
    </div>`;
  const attributes = { className: 'card', label: t('menu.brand'), hasFiles: true, isLive: true };
  return postForm(`${who.base}${brandPath}`, who.session.csrf, inside, attributes);
}

function previews({ rendering, fault }: BrandView, who: SignedIn): Html {
  const { t } = who.language;
  const { html: page, preview } = rendering;
  const pdf = preview && `data:application/pdf;base64,${preview.pdf_base64}`;
  const part = (title: string, content: Html) =>
    html`<details class="card" open>
      <summary>${title}</summary>
      ${content}
    </details>`;
  return html`<div data-live>
    ${problem(fault)} ${part(t('receipt.page'), documentFrame(page, t('receipt.frame')))}
    ${
      preview &&
      part(t('brand.mail', { subject: preview.mail.subject }), documentFrame(preview.mail.html, t('email')))
    }
    ${
      pdf !== undefined &&
      part(
        'PDF',
        html`<object
            class="receipt"
            type="application/pdf"
            aria-label="PDF"
            data="${pdf}#toolbar=0&view=FitH"
          ></object>
          <a class="button quiet" href="${pdf}" download="receipt.pdf">${t('brand.openPdf')}</a>`,
      )
    }
  </div>`;
}

/** The form of the brand, and previews of a receipt with it. The script replaces the previews while the user types. */
export function brandView(view: BrandView, who: SignedIn): Html {
  const { t } = who.language;
  return html`<h1>${t('menu.brand')}</h1>
    <p class="lead">${t('brand.lead')}</p>
    ${success(view.done === 'saved' ? t('brand.saved') : undefined)}
    <div class="bench">${settingsForm(view.draft, who)} ${previews(view, who)}</div>`;
}
