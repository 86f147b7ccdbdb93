// The keyboard and the pointer on a board: arrow keys move the focus, and a move is previewed under the pointer.
(() => {
    const REGION = '.buttons [data-region]';
    const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const NAVIGATION = { ArrowLeft: 'back', ArrowRight: 'forward', Home: 'first', End: 'last' };
    let last = null; // the name of the region that had the focus

    const regionOf = (event) => event.target.closest?.(REGION);
    const regionsOf = (board) => [...board.querySelectorAll('[data-region]')];
    const centre = (element) => {
        const box = element.getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    };

    function focus(board, region) {
        regionsOf(board).forEach((each) => each.setAttribute('tabindex', each === region ? 0 : -1));
        region.focus();
    }

    // The nearest region in a direction; one that is aside counts as farther away.
    function neighbour(board, region, [right, down]) {
        const [x, y] = centre(region);
        const costs = regionsOf(board).map((each) => {
            const [dx, dy] = [centre(each)[0] - x, centre(each)[1] - y];
            const ahead = dx * right + dy * down;
            return [ahead > 1 ? ahead + 3 * Math.abs(dx * down + dy * right) : Infinity, each];
        });
        const [cost, nearest] = costs.reduce((best, each) => (each[0] < best[0] ? each : best));
        return cost < Infinity ? nearest : null;
    }

    window.restoreBoardFocus = (id) => setTimeout(() => {
        const board = document.getElementById(id);
        if (!board || document.activeElement !== document.body) return;
        const region = regionsOf(board).find((each) => each.dataset.region === last);
        if (region) focus(board, region);
    }, 50);

    // Scroll the list of moves to the current move, and never the page.
    window.showCurrentMove = (id) => setTimeout(() => {
        const list = document.getElementById(id)?.parentElement;
        const current = list?.querySelector('[aria-current]');
        if (!current) return;
        const [outer, inner] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
        if (inner.top < outer.top || inner.bottom > outer.bottom) list.scrollTop += inner.top - outer.top - outer.height / 2;
    }, 50);

    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.altKey || event.metaKey) return;
        const region = regionOf(event);
        if (region && DIRECTIONS[event.key]) {
            event.preventDefault();
            const board = region.closest('.buttons');
            const next = neighbour(board, region, DIRECTIONS[event.key]);
            if (next) focus(board, next);
        } else if (NAVIGATION[event.key] && !event.target.closest?.('input, textarea, select, [role=slider], [role=tree]')) {
            const button = document.querySelector(`.navigation .${NAVIGATION[event.key]}`);
            if (button) {
                event.preventDefault();
                button.click();
            }
        }
    });

    document.addEventListener('focusin', (event) => {
        last = regionOf(event)?.dataset.region ?? last;
    });

    // A click leaves the focus where no arrow key moves it, so that these keys go through the moves of the game.
    document.addEventListener('mousedown', (event) => {
        if (regionOf(event)) {
            event.preventDefault();
            document.activeElement?.blur();
        }
    });

    function preview(event) {
        const region = regionOf(event);
        document.querySelectorAll(`${REGION}.previewed`).forEach((each) => each.classList.remove('previewed'));
        if (!region?.dataset.preview) return;
        const names = new Set(region.dataset.preview.split(' '));
        regionsOf(region.closest('.buttons')).forEach((each) => {
            each.classList.toggle('previewed', names.has(each.dataset.region));
        });
    }
    document.addEventListener('mouseover', preview);
    document.addEventListener('focusin', preview);
})();
