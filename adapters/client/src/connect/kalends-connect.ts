import { type ConnectProvider, parseConnectProviders } from './connect-providers.ts';
import type { ConnectedResult, ConnectResult, FailedResult } from './connect-result.ts';
import { createConnectState } from './connect-state.ts';
import { CONNECT_STYLE } from './connect-style.ts';
import { connectUrl, parsePrompt } from './connect-target.ts';
import { type ConnectTexts, connectErrorMessage, connectTexts } from './connect-texts.ts';
import { finishConnect } from './finish-connect.ts';

/** Detail of `kalends-connect`. */
export interface ConnectDetail {
  readonly providerType: string;
  /** Address that the browser opens unless the event is cancelled. */
  readonly url: string;
}

/** Events of the element; all bubble and cross shadow roots. */
export interface KalendsConnectEvents {
  'kalends-connect': CustomEvent<ConnectDetail>;
  'kalends-connected': CustomEvent<ConnectedResult>;
  'kalends-error': CustomEvent<FailedResult>;
}

declare global {
  interface HTMLElementTagNameMap {
    'kalends-connect': KalendsConnect;
  }
  interface HTMLElementEventMap extends KalendsConnectEvents {}
}

const ATTRIBUTES = [
  'base-url',
  'application-id',
  'redirect-url',
  'state',
  'external-id',
  'login-hint',
  'prompt',
  'providers',
] as const;
type Attribute = (typeof ATTRIBUTES)[number];

// Servers import the module too, to render pages.
const Base: typeof HTMLElement = typeof HTMLElement === 'undefined' ? (class {} as typeof HTMLElement) : HTMLElement;

/**
 * Buttons that connect a mailbox, one for each provider, and the outcome once the browser has returned.
 *
 * Attributes: `base-url`, `application-id` and `providers` (`PROVIDER_A=Google, PROVIDER_B=Microsoft`) are required;
 * `redirect-url`, `state`, `external-id`, `login-hint` and `prompt` are those of `authorizeUrl`. Without `state` the element makes
 * one for each flow and checks it on return; with it, your server does.
 *
 * Slots: the default one, above the buttons and hidden with them after success; `provider-TYPE`, in place of a button's text; `connected`, in place of the text after
 * success. Parts: `group`, `button`, `message`, `error`, `connected`.
 */
export class KalendsConnect extends Base {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;

  #texts = connectTexts();
  #result: ConnectResult | undefined;
  #leavingTo: string | undefined;
  #isRendering = false;
  #group: HTMLElement | undefined;
  #intro: HTMLElement | undefined;
  #message: HTMLElement | undefined;

  /**
   * Outcome of the flow from which the browser has returned, for code that runs after the events. Set it to show an outcome of
   * your own, such as your server's refusal of the account; this fires no event.
   */
  get result(): ConnectResult | undefined {
    return this.#result;
  }
  set result(result: ConnectResult | undefined) {
    this.#result = result;
    this.#renderSoon();
  }

  /** Texts in place of the English ones. */
  get texts(): ConnectTexts {
    return this.#texts;
  }
  set texts(texts: Partial<ConnectTexts>) {
    this.#texts = connectTexts(texts);
    this.#renderSoon();
  }

  connectedCallback(): void {
    if (this.shadowRoot === null) this.#build(this.attachShadow({ mode: 'open' }));
    addEventListener('pageshow', this.#onPageShow);
    const result = finishConnect({ checksState: !this.hasAttribute('state') });
    if (result !== undefined) this.#end(result);
    this.#renderSoon();
  }

  disconnectedCallback(): void {
    removeEventListener('pageshow', this.#onPageShow);
  }

  attributeChangedCallback(): void {
    this.#renderSoon();
  }

  #build(root: ShadowRoot): void {
    const style = new CSSStyleSheet();
    style.replaceSync(CONNECT_STYLE);
    root.adoptedStyleSheets = [style];
    this.#group = part('div', 'group');
    this.#group.setAttribute('role', 'group');
    // A live region is announced when its text changes, so it is there from the beginning.
    this.#message = part('p', 'message');
    this.#message.setAttribute('role', 'status');
    this.#intro = document.createElement('slot');
    root.append(this.#intro, this.#message, this.#group);
  }

  /** A page that the browser has kept, and shows again after "back", is not leaving any more. */
  readonly #onPageShow = (event: PageTransitionEvent): void => {
    if (!event.persisted) return;
    this.#leavingTo = undefined;
    this.#renderSoon();
  };

  /** Frameworks set attributes one by one: wait for the last. */
  #renderSoon(): void {
    if (this.#isRendering) return;
    this.#isRendering = true;
    Promise.resolve().then(() => {
      this.#isRendering = false;
      if (this.isConnected) this.#render();
    });
  }

  #render(): void {
    if (this.#group === undefined || this.#intro === undefined) return;
    this.#group.setAttribute('aria-label', this.#texts.group);
    const focused = this.shadowRoot?.activeElement?.getAttribute('data-type');
    try {
      const providers = parseConnectProviders(this.#attribute('providers') ?? '');
      this.#group.replaceChildren(...providers.map((provider) => this.#button(provider)));
      if (focused != null) this.#group.querySelector<HTMLElement>(`[data-type="${focused}"]`)?.focus();
      const isConnected = this.#result?.status === 'connected';
      this.#group.hidden = isConnected;
      this.#intro.hidden = isConnected;
      this.#renderResult();
    } catch (error) {
      this.#group.replaceChildren();
      this.#show('error', messageOf(error));
    }
  }

  #renderResult(): void {
    if (this.#result === undefined) this.#show('', '');
    else if (this.#result.status === 'failed') {
      this.#show('error', connectErrorMessage(this.#result.code, this.#texts));
    } else {
      this.#show('connected', slot('connected', this.#texts.connected));
    }
  }

  #show(kind: '' | 'error' | 'connected', content: string | Node): void {
    this.#message?.setAttribute('part', `message ${kind}`.trim());
    // Text that is written again is announced again.
    if (content === this.#message?.textContent) return;
    const text = document.createElement('span');
    text.append(content);
    this.#message?.replaceChildren(...(kind === '' ? [] : [text]));
  }

  #button({ type, label }: ConnectProvider): HTMLElement {
    const button = part('button', 'button');
    const isLeaving = this.#leavingTo === type;
    button.setAttribute('type', 'button');
    button.setAttribute('data-type', type);
    if (this.#leavingTo !== undefined) button.setAttribute('aria-disabled', 'true');
    button.append(isLeaving ? this.#texts.leaving(label) : slot(`provider-${type}`, this.#texts.button(label)));
    button.addEventListener('click', () => this.#connect(type));
    return button;
  }

  #connect(providerType: string): void {
    if (this.#leavingTo !== undefined) return;
    const url = this.#urlOf(providerType);
    if (url === undefined) return;
    const detail: ConnectDetail = { providerType, url };
    if (!this.#dispatch('kalends-connect', detail)) return;
    this.#leavingTo = providerType;
    this.#renderSoon();
    location.assign(url);
  }

  /** Returns undefined, and shows why, when the attributes lead nowhere or no state can be kept. */
  #urlOf(providerType: string): string | undefined {
    try {
      const target = {
        providerType,
        baseUrl: this.#attribute('base-url') ?? '',
        applicationId: this.#attribute('application-id') ?? '',
        redirectUrl: this.#attribute('redirect-url'),
        externalId: this.#attribute('external-id'),
        loginHint: this.#attribute('login-hint'),
        prompt: parsePrompt(this.getAttribute('prompt')),
      };
      connectUrl(target, document.baseURI);
      const state = this.#attribute('state') ?? this.#newState();
      return state === undefined ? undefined : connectUrl({ ...target, state }, document.baseURI);
    } catch (error) {
      this.#show('error', messageOf(error));
      return undefined;
    }
  }

  #newState(): string | undefined {
    try {
      return createConnectState();
    } catch {
      this.#end({ status: 'failed', code: 'storage_blocked', description: null, state: null });
      return undefined;
    }
  }

  #end(result: ConnectResult): void {
    this.result = result;
    this.#dispatch(result.status === 'connected' ? 'kalends-connected' : 'kalends-error', result);
  }

  #dispatch(name: keyof KalendsConnectEvents, detail: ConnectDetail | ConnectResult): boolean {
    const cancelable = name === 'kalends-connect';
    return this.dispatchEvent(new CustomEvent(name, { detail, cancelable, bubbles: true, composed: true }));
  }

  #attribute(name: Attribute): string | undefined {
    return this.getAttribute(name) ?? undefined;
  }
}

/**
 * Registers the element. Add the listeners of its events first: an element that is in the page already fires them at once.
 * A second call with the same name does nothing.
 */
export function defineKalendsConnect(name = 'kalends-connect'): void {
  if (customElements.get(name) !== undefined) return;
  // A class can have one name only.
  customElements.define(name, class extends KalendsConnect {});
}

function part(tag: string, name: string): HTMLElement {
  const element = document.createElement(tag);
  element.setAttribute('part', name);
  return element;
}

function slot(name: string, text: string): HTMLSlotElement {
  const element = document.createElement('slot');
  element.name = name;
  element.textContent = text;
  return element;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
